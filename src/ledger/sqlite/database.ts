import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { LedgerError, type LedgerFault } from '../error.ts';
import { type Patience, whileBusy } from './busy.ts';
import { MOVE_ASIDE, ledgerError } from './error.ts';
import { isTruncated, keepPrivate, refuseOddFiles } from './private-files.ts';
import { SameFiles } from './same-files.ts';
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from './schema.ts';

/** How long to wait for a write of another process, which usually takes milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

/** A value that SQLite can hold. */
export type Value = string | number | Uint8Array | null;

/** The values of a statement, by the names of its parameters or in their order. */
export type NamedValues = Readonly<Record<string, Value>>;
type Values = readonly Value[] | NamedValues;

/** One SQLite connection. Everything it throws is a `LedgerError`. */
export class Database {
  readonly file: string;
  readonly #patience: Patience;
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #files = new SameFiles();
  #watched: readonly string[];

  constructor(file: string, patience: Patience) {
    this.file = file;
    this.#patience = patience;
    this.#watched = [file];
    this.checkFiles();
    // Foreign keys only document the schema: checking them would cost a look-up per write.
    this.#connection = this.#withLedgerError(
      () =>
        new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false }),
    );
    // Detects that the file was replaced while it was opened.
    this.checkFiles();
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** Runs SQL that has no parameters and no result. */
  execute(sql: string): void {
    this.#withLedgerError(() => this.#connection.exec(sql));
  }

  /** Runs one statement; returns how many rows it changed and the id of the last inserted. */
  write(sql: string, values: Values = []): { changes: number; id: number } {
    try {
      const { changes, lastInsertRowid } = this.#statement(sql).run(...bindable(values));
      return { changes, id: Number(lastInsertRowid) };
    } catch (error) {
      throw ledgerError(this.file, error);
    }
  }

  /** The first row of a query. */
  first<Row>(sql: string, values: Values = []): Row | undefined {
    return this.#withLedgerError(
      () => this.#statement(sql).get(...bindable(values)) as Row | undefined,
    );
  }

  /** All rows of a query, in memory: use pages for large results. */
  all<Row>(sql: string, values: Values = []): Row[] {
    return this.#withLedgerError(() => this.#statement(sql).all(...bindable(values)) as Row[]);
  }

  /** The value of a pragma, or of any query with one row and one column. */
  value(sql: string): string | number {
    const row = this.first<Record<string, string | number>>(sql);
    return Object.values(row ?? {})[0] ?? '';
  }

  /**
   * All of it or nothing. The write lock is taken at once: one taken later can fail half-way. While
   * another process has it, this one goes on, and at an interrupt gives up where it may.
   */
  transaction<Result>(work: () => Result, mayGiveUp: () => boolean = () => true): Promise<Result> {
    let isBegun = false;
    const attempt = (): Result => {
      this.#beginImmediate();
      isBegun = true;
      return this.#finish(work);
    };
    const mayTryAgain = (): boolean => !isBegun;
    return this.whileBusy(attempt, { mayTryAgain, mayGiveUp });
  }

  /** Tries again while another process has a lock of the ledger. */
  whileBusy<Result>(
    attempt: () => Result,
    options: { mayTryAgain?: () => boolean; mayGiveUp?: () => boolean } = {},
  ): Promise<Result> {
    return whileBusy(BUSY_TIMEOUT_MS, attempt, { patience: this.#patience, ...options });
  }

  #beginImmediate(): void {
    try {
      this.execute('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
    } finally {
      this.execute(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** Runs many queries on one snapshot of the ledger, without acquiring the locks for each. */
  snapshot<Result>(work: () => Result): Result {
    this.execute('BEGIN');
    return this.#finish(work);
  }

  /** Runs work in a transaction that has begun, and ends it. */
  #finish<Result>(work: () => Result): Result {
    try {
      const result = work();
      this.execute('COMMIT');
      return result;
    } catch (error) {
      // After a full disk SQLite has rolled back already.
      if (this.#connection.isTransaction) this.execute('ROLLBACK');
      throw error;
    }
  }

  /** From now on `checkFiles` checks the files of the log as well, where the file system can have one. */
  watchLog(): void {
    if (this.value('PRAGMA journal_mode') !== 'wal') return;
    this.#watched = [this.file, `${this.file}-wal`, `${this.file}-shm`];
    this.checkFiles();
  }

  /** Throws if one of the files is not the one that was opened: what was committed would be lost. */
  checkFiles(): void {
    if (this.#withLedgerError(() => this.#files.areSame(this.#watched))) return;
    const words =
      'the ledger was moved, removed or replaced since it was opened, so nothing was stored';
    throw new LedgerError('removed', this.file, words);
  }

  close(): void {
    if (!this.isOpen) return;
    this.#emptyLog();
    this.#statements.clear();
    this.#withLedgerError(() => this.#connection.close());
  }

  /**
   * SQLite itself would do this at close, but the package's statements cannot be finalised: they keep
   * the connection half open until they are garbage collected. If it fails, the data is as safe in the
   * log.
   */
  #emptyLog(): void {
    try {
      this.#connection.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process is busy, the disk is full, or this is not a ledger.
    }
  }

  #statement(sql: string): StatementSyncInstance {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #withLedgerError<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw ledgerError(this.file, error);
    }
  }
}

/**
 * The package truncates a text at its first NUL, so such a text is bound as bytes; a column of text only
 * refuses them, which is better than losing a part.
 */
function bindable(values: Values): readonly (Value | NamedValues)[] {
  const bytesOf = (value: Value): Value => (holdsNul(value) ? Buffer.from(value) : value);
  if (isList(values)) return values.some(holdsNul) ? values.map(bytesOf) : values;
  if (!Object.values(values).some(holdsNul)) return [values];
  return [
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, bytesOf(value)])),
  ];
}

function isList(values: Values): values is readonly Value[] {
  return Array.isArray(values);
}

function holdsNul(value: Value): value is string {
  return typeof value === 'string' && value.includes('\0');
}

/** Opens the ledger's file, and creates or migrates it if needed. */
export async function openDatabase(file: string, patience: Patience = {}): Promise<Database> {
  try {
    refuseOddFiles(file);
    keepPrivate(file);
  } catch (error) {
    throw ledgerError(file, error);
  }
  const database = new Database(file, patience);
  try {
    checkIsLedger(database);
    await setUp(database);
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

const SETTINGS = [
  // Acknowledged writes survive a power failure, not just a crash; macOS needs fullfsync for it.
  'PRAGMA synchronous = FULL',
  'PRAGMA fullfsync = ON',
  'PRAGMA checkpoint_fullfsync = ON',
  // Before-images are student data: deleted content is overwritten.
  'PRAGMA secure_delete = ON',
  // 16 MB between checkpoints rather than 4: a bulk run would spend its time on them.
  'PRAGMA wal_autocheckpoint = 4000',
  'PRAGMA journal_size_limit = 16777216',
];

async function setUp(database: Database): Promise<void> {
  await switchToWal(database);
  for (const setting of SETTINGS) database.value(setting);
}

/** Switching a new file needs an exclusive lock, for which SQLite does not wait. */
function switchToWal(database: Database): Promise<string | number> {
  return database.whileBusy(() => database.value('PRAGMA journal_mode = WAL'));
}

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
