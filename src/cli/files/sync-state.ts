import { createHash } from 'node:crypto';
import { addressOf } from '../../ledger/address.ts';
import { MAX_JSON_BYTES } from '../input/limit.ts';
import type { Runtime } from '../runtime.ts';
import type { Baseline } from '../../transfer/sync-plan.ts';

/**
 * What a folder and a file set agreed on when they were last synced. Dates alone would not do: the
 * service dates an upload by its own clock, which may be ahead of this one, or behind.
 */
export interface SyncState {
  readonly read: () => Promise<Map<string, Baseline>>;
  readonly write: (agreed: ReadonlyMap<string, Baseline>) => Promise<void>;
}

/** Where that is kept for a folder and the URL of a file set: one small file for each pair. */
export async function syncState(
  runtime: Runtime,
  folder: string,
  filesUrl: string,
): Promise<SyncState> {
  const disk = await runtime.disk();
  const pair = { folder: disk.absolute(folder), files: addressOf(filesUrl) };
  const name = createHash('sha256').update(JSON.stringify(pair)).digest('hex').slice(0, 32);
  const file = `${(await runtime.home()).data}/sync/${name}.json`;
  return {
    read: async () => {
      if (!(await disk.exists(file))) return new Map();
      return agreedIn(new TextDecoder().decode(await disk.readFile(file, MAX_JSON_BYTES)));
    },
    write: async (agreed) => {
      const text = JSON.stringify({ ...pair, agreed: Object.fromEntries(agreed) });
      await disk.writeFile(file, `${text}\n`, { secret: true });
    },
  };
}

/** A damaged file says nothing: the dates decide then, as before the first sync. */
function agreedIn(text: string): Map<string, Baseline> {
  try {
    const { agreed } = JSON.parse(text) as { agreed: Record<string, Baseline> };
    return new Map(Object.entries(agreed));
  } catch {
    return new Map();
  }
}
