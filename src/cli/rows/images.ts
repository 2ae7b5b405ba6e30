import { LedgerError } from '../../ledger/error.ts';
import { StateError } from '../errors.ts';
import type { GlobalOptions, Runtime, Settings } from '../runtime.ts';
import type { RowTarget } from '../target.ts';

/** What every command that writes a row takes. */
export interface WriteOptions extends GlobalOptions {
  readonly dryRun?: boolean;
  /** false with `--no-history`. */
  readonly history?: boolean;
}

/** A row is a student's data: what is kept of it here is bounded in number and in time. */
const KEPT_OF_A_ROW = 100;
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

/**
 * Keeps the row as it is before a write, and lets go of what is too old. Returns the image's id, or
 * undefined where the user wants none kept. Throws StateError: what cannot be kept is not replaced.
 */
export async function keepImage(
  runtime: Runtime,
  options: WriteOptions,
  target: RowTarget,
  { command, before, after }: { command: string; before: string; after: string | undefined },
): Promise<number | undefined> {
  if (options.history === false || isTurnedOff(await runtime.settings())) return undefined;
  try {
    const ledger = await runtime.ledger();
    const id = await ledger.keepImage({
      row: target.label,
      url: target.url,
      command,
      before: encode(before),
      after: after === undefined ? undefined : encode(after),
    });
    await ledger.pruneImages({ keep: KEPT_OF_A_ROW, maxAgeMs: KEPT_MS });
    return id;
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error;
    throw new StateError(
      `the ${target.label} row could not be kept as it is, so nothing was sent: ${error.message}`,
      '--no-history writes without keeping it',
      { cause: error },
    );
  }
}

/** Settings that cannot be read turn nothing off: a row that is kept needlessly can be let go of. */
function isTurnedOff(settings: Settings): boolean {
  try {
    return settings.get('history') === false;
  } catch (error) {
    if (error instanceof StateError) return false;
    throw error;
  }
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
