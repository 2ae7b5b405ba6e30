import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { addressOf } from '../../ledger/address.ts';
import { MAX_JSON_BYTES } from '../input/limit.ts';
import type { Runtime } from '../runtime.ts';
import type { Baseline } from '../../transfer/sync-plan.ts';

/**
 * The files that a folder and a file set had in common after their last sync. Dates alone are not
 * enough: the service dates an upload by its own clock, which may differ from this machine's.
 */
export interface SyncState {
  readonly read: () => Promise<Map<string, Baseline>>;
  readonly write: (baselines: ReadonlyMap<string, Baseline>) => Promise<void>;
}

/** The sync state of a folder and the URL of a file set, in one small file for each pair. */
export async function syncState(
  runtime: Runtime,
  folder: string,
  filesUrl: string,
): Promise<SyncState> {
  const disk = await runtime.disk();
  const pair = { folder: disk.absolute(folder), files: addressOf(filesUrl) };
  const name = createHash('sha256').update(JSON.stringify(pair)).digest('hex').slice(0, 32);
  const file = join((await runtime.home()).data, 'sync', `${name}.json`);
  return {
    read: async () => {
      if (!(await disk.exists(file))) return new Map();
      return parseBaselines(new TextDecoder().decode(await disk.readFile(file, MAX_JSON_BYTES)));
    },
    write: async (baselines) => {
      const text = JSON.stringify({ ...pair, agreed: Object.fromEntries(baselines) });
      await disk.writeFile(file, `${text}\n`, { secret: true });
    },
  };
}

/** The content of the file; empty if it is damaged: then dates decide, as in the first sync. */
function parseBaselines(text: string): Map<string, Baseline> {
  try {
    const { agreed } = JSON.parse(text) as { agreed: Record<string, Baseline> };
    return new Map(Object.entries(agreed));
  } catch {
    return new Map();
  }
}
