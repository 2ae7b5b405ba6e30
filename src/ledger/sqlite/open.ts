import { statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { Database, type LogOptions } from '../../sqlite/database.ts';
import { Locks, type Patience } from '../../sqlite/locks.ts';
import {
  isPrivate,
  isTruncated,
  keepPrivate,
  refuseUnusableFiles,
} from '../../sqlite/private-files.ts';
import { sqliteFaultOf } from '../../sqlite/error.ts';
import { GroupCommit } from '../../sqlite/writer.ts';
import { joinKnown, stillInDoubt } from '../attempt-sql.ts';
import { LedgerError, type LedgerFault, MOVE_ASIDE } from '../error.ts';
import type { Health, HealthCounts, Ledger } from '../ledger.ts';
import { SQLITE, sqliteAttempts, sqliteTargets } from './attempts.ts';
import { ledgerError } from './error.ts';
import { sqliteImages } from './images.ts';
import { sqliteMoves } from './moves.ts';
import { sqliteRuns } from './runs.ts';
import { APPLICATION_ID, MIGRATIONS, OLDEST_VERSION, SCHEMA_VERSION } from './schema.ts';

export interface LedgerOptions extends Patience {
  /** The SQLite file, in a folder of its own: both are created if missing, private to the owner. */
  readonly file: string;
  /** Milliseconds since the epoch; defaults to the system's clock. */
  readonly now?: () => number;
  /** Milliseconds since the machine was started: shows that `now` has jumped. */
  readonly uptime?: () => number;
  /** `user@host`, who settles doubts; defaults to the user of this process. */
  readonly who?: string;
}

/**
 * Opens a ledger in an SQLite file. Several processes may have it open at the same time.
 *
 * @throws {LedgerError} the file cannot be used; `fault` is the reason
 * @example
 * const ledger = await openLedger({ file: 'state/ledger.sqlite' });
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { file, now = Date.now, uptime = () => null, who = userAtHost() } = options;
  const database = await openLedgerFile(file, options);
  const targets = sqliteTargets(database);
  const writer = new GroupCommit(database, () => targets.forget());
  const { isReadOnly } = database;
  const locks = new Locks(file, { errorOf: ledgerError, isReadOnly });
  const store = { database, writer, locks, targets, now, uptime, who };
  return {
    ...sqliteAttempts(store),
    ...sqliteRuns(store),
    ...sqliteMoves(store),
    ...sqliteImages(store),
    check: async () => database.checkFiles(),
    health: async () => checkHealth(database, file),
    close: async () => {
      try {
        await writer.drain();
      } finally {
        locks.releaseAll();
        database.close();
      }
    },
  };
}

function userAtHost(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // The system has no name of the user.
    return `lectern@${hostname()}`;
  }
}

/** Opens the ledger's file, and creates or migrates it if needed. */
export async function openLedgerFile(file: string, patience: Patience = {}): Promise<Database> {
  const errorOf = (cause: unknown): LedgerError => ledgerError(file, cause);
  let database: Database | undefined;
  try {
    refuseUnusableFiles(file, 'the ledger');
    keepPrivate(file);
    database = new Database(file, { busyMs: BUSY_MS, patience, errorOf });
    const opened = database;
    checkIsLedger(opened);
    // Switching a new file to a log needs an exclusive lock, for which SQLite does not wait.
    await opened.whileBusy(() => opened.useLog(LOG));
    await migrate(opened);
    opened.watchLog();
    return opened;
  } catch (error) {
    database?.close();
    return openUnwritable(file, errorOf(error));
  }
}

/**
 * A ledger on a disk that is read-only or full can be read, unless its log may have more; one that
 * does not exist is empty. A write fails with the reason.
 */
async function openUnwritable(file: string, reason: LedgerError): Promise<Database> {
  const isUnwritable = reason.fault === 'denied' || reason.fault === 'full';
  if (!isUnwritable || sizeOf(`${file}-wal`) !== 0) throw reason;
  const errorOf = (cause: unknown): LedgerError =>
    sqliteFaultOf(cause) === 'readonly' ? reason : ledgerError(file, cause);
  const isNew = sizeOf(file) === 0;
  const database = new Database(isNew ? ':memory:' : file, { isReadOnly: !isNew, errorOf });
  if (isNew) await migrate(database);
  database.execute('PRAGMA query_only = ON');
  if (database.value('PRAGMA user_version') === SCHEMA_VERSION) return database;
  database.close();
  throw reason;
}

const HEADER = `SELECT (SELECT count(*) FROM sqlite_schema) AS tables, application_id AS application,
  user_version AS version, page_size AS pageBytes
  FROM pragma_application_id, pragma_user_version, pragma_page_size`;

type Header = Readonly<Record<'tables' | 'application' | 'version' | 'pageBytes', number>>;

/** Checks, before anything is changed, that this is a ledger of a known version. */
function checkIsLedger(database: Database): void {
  // One statement, and so one snapshot: another process may be creating the ledger.
  const { tables, application, version, pageBytes } = database.first<Header>(HEADER) as Header;
  const isEmpty = tables === 0;
  const refuse = (fault: LedgerFault, message: string): never => {
    throw new LedgerError(fault, database.file, message);
  };
  if (!isEmpty && application !== APPLICATION_ID) {
    refuse('foreign', 'this SQLite file is not a ledger: choose another path');
  }
  if (version > SCHEMA_VERSION) {
    const versions = `schema ${version}, this one knows ${SCHEMA_VERSION}`;
    refuse('newer', `the ledger was written by a newer lectern (${versions}): update lectern`);
  }
  if (isEmpty ? version !== 0 : version < OLDEST_VERSION) {
    refuse('corrupt', `the ledger has schema ${version}, of no lectern since 1.0.0: ${MOVE_ASIDE}`);
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

/** How long to wait for a write of another process: milliseconds, or seconds for a run of a million grades. */
const BUSY_MS = 30_000;

async function migrate(database: Database): Promise<void> {
  if (database.value('PRAGMA user_version') === SCHEMA_VERSION) return;
  await database.transaction(() => {
    // Read again under the lock: another process may have migrated it.
    const version = Number(database.value('PRAGMA user_version'));
    const applied = version === 0 ? 0 : version - OLDEST_VERSION + 1;
    for (const migration of MIGRATIONS.slice(applied)) database.execute(migration);
    database.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.execute(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

/** Checks the whole file. Damage is reported, not thrown. */
function checkHealth(database: Database, file: string): Health {
  const counted = countAll(database);
  const faults = findFaults(database);
  if ('fault' in counted && faults.length === 0) faults.push(counted.message);
  return {
    file,
    bytes: sizeOf(file) + sizeOf(`${file}-wal`),
    schema: Number(database.value('PRAGMA user_version')),
    faults,
    private: isPrivate(file),
    counts: 'fault' in counted ? undefined : counted,
  };
}

function findFaults(database: Database): string[] {
  try {
    const rows = database.all<{ integrity_check: string }>('PRAGMA integrity_check');
    return rows.map((row) => row.integrity_check).filter((words) => words !== 'ok');
  } catch (error) {
    return [(error as LedgerError).message];
  }
}

/** The counts, or why the ledger is too damaged to count. */
function countAll(database: Database): HealthCounts | LedgerError {
  const count = (from: string): number => Number(database.value(`SELECT count(*) FROM ${from}`));
  try {
    return {
      attempts: count('attempts'),
      inDoubt: count(`attempts ${joinKnown(SQLITE)} WHERE ${stillInDoubt(SQLITE)}`),
      runs: count('runs'),
      rows: count('run_rows'),
      images: count('images'),
    };
  } catch (error) {
    if ((error as LedgerError).fault !== 'corrupt') throw error;
    return error as LedgerError;
  }
}

/** 0 if there is no such file, NaN if that is unknown. */
function sizeOf(file: string): number {
  try {
    return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return NaN;
  }
}
