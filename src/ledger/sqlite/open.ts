import { bindAttemptsAndRuns } from '../bind.ts';
import { Attempts } from './attempts.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Patience } from '../../sqlite/while-busy.ts';
import { openDatabase } from './open-file.ts';
import { checkHealth } from './health.ts';
import { Images } from './images.ts';
import type { Ledger } from '../ledger.ts';
import { Locks } from './locks.ts';
import { Runs } from './runs.ts';
import { Targets } from './targets.ts';
import { Writer } from './writer.ts';

export interface LedgerOptions extends Patience {
  /** The SQLite file, in a folder of its own: both are created if missing, private to the owner. */
  readonly file: string;
  /** Milliseconds since the epoch; defaults to the system's clock. */
  readonly now?: () => number;
}

/**
 * Opens a ledger in an SQLite file. Several processes may have it open at the same time.
 *
 * @throws {LedgerError} the file cannot be used; `fault` tells why
 * @example
 * const ledger = await openLedger({ file: 'state/ledger.sqlite' });
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { file, now = Date.now } = options;
  const database = await openDatabase(file, options);
  const targets = new Targets(database);
  const writer = new Writer(database, () => targets.forget());
  const locks = new Locks(file, options);
  const attempts = new Attempts(database, writer, targets, now);
  const runs = new Runs(database, writer, locks, now);
  const images = new Images(database, writer, locks, now);
  return {
    ...bindAttemptsAndRuns(attempts, runs),
    claimRow: (url) => images.claimRow(url),
    keepImage: (image) => images.keepImage(image),
    settleImage: (id, outcome) => images.settleImage(id, outcome),
    images: (filter) => images.images(filter),
    image: (id) => images.image(id),
    pruneImages: (limits) => images.pruneImages(limits),
    clearImages: () => images.clearImages(),
    check: async () => database.checkFiles(),
    health: async () => checkHealth(database),
    close: () => close(writer, locks, database),
  };
}

async function close(writer: Writer, locks: Locks, database: Database): Promise<void> {
  try {
    await writer.drain();
  } finally {
    locks.releaseAll();
    database.close();
  }
}
