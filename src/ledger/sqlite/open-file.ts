import { Database, type LogOptions } from '../../sqlite/database.ts';
import type { Patience } from '../../sqlite/while-busy.ts';
import { LedgerError, type LedgerFault } from '../error.ts';
import { MOVE_ASIDE, ledgerError } from './error.ts';
import { isTruncated, keepPrivate, refuseOddFiles } from './private-files.ts';
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from './schema.ts';

/** Opens the ledger's file, and creates or migrates it if needed. */
export async function openDatabase(file: string, patience: Patience = {}): Promise<Database> {
  try {
    refuseOddFiles(file);
    keepPrivate(file);
  } catch (error) {
    throw ledgerError(file, error);
  }
  const errorOf = (cause: unknown): LedgerError => ledgerError(file, cause);
  const database = new Database(file, { busyMs: BUSY_MS, patience, errorOf });
  try {
    checkIsLedger(database);
    // Switching a new file to a log needs an exclusive lock, for which SQLite does not wait.
    await database.whileBusy(() => database.useLog(LOG));
    await migrate(database);
    database.watchLog();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Checks, before anything is changed, that this is a ledger of a known version. */
function checkIsLedger(database: Database): void {
  // In one snapshot: another process may be creating the ledger.
  const { isEmpty, application, version, pageBytes } = database.snapshot(() => ({
    pageBytes: Number(database.value('PRAGMA page_size')),
    isEmpty: database.value('SELECT count(*) FROM sqlite_schema') === 0,
    application: database.value('PRAGMA application_id'),
    version: Number(database.value('PRAGMA user_version')),
  }));
  const refuse = (fault: LedgerFault, words: string): never => {
    throw new LedgerError(fault, database.file, words);
  };
  if (!isEmpty && application !== APPLICATION_ID) {
    refuse('foreign', 'this SQLite file is not a ledger: choose another path');
  }
  if (version > SCHEMA_VERSION) {
    const versions = `schema ${version}, this one knows ${SCHEMA_VERSION}`;
    refuse('newer', `the ledger was written by a newer lectern (${versions}): update lectern`);
  }
  if (version < 0 || isEmpty !== (version === 0)) {
    refuse('corrupt', `the ledger has schema ${version}, which no lectern wrote: ${MOVE_ASIDE}`);
  }
  if (isTruncated(database.file, pageBytes)) {
    refuse('corrupt', `the file of the ledger ends in the middle of a page: ${MOVE_ASIDE}`);
  }
}

const LOG: LogOptions = {
  // 16 MB between checkpoints rather than 4: a bulk run would spend its time on them.
  checkpointPages: 4000,
  settings: [
    'journal_size_limit = 16777216',
    // For a power failure, on macOS.
    'fullfsync = ON',
    'checkpoint_fullfsync = ON',
    // Before-images are student data: deleted content is overwritten.
    'secure_delete = ON',
  ],
};

/** How long to wait for a write of another process, which usually takes milliseconds. */
const BUSY_MS = 10_000;

async function migrate(database: Database): Promise<void> {
  if (database.value('PRAGMA user_version') === SCHEMA_VERSION) return;
  await database.transaction(() => {
    // Read again under the lock: another process may have migrated it.
    const version = Number(database.value('PRAGMA user_version'));
    for (const migration of MIGRATIONS.slice(version)) database.execute(migration);
    database.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.execute(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
