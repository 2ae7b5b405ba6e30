import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { LedgerError, type LedgerFault } from '../error.ts';
import { type Patience, whileBusy } from './busy.ts';
import { ASIDE, ledgerError } from './error.ts';
import { isCutShort, keepPrivate, refuseOddFiles } from './private-files.ts';
import { SameFiles } from './same-files.ts';
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from './schema.ts';

const datasync = promisify(fdatasync);

/** How long one waits for another process's write. Theirs take milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

/** A value that SQLite can hold. */
export type Value = string | number | Uint8Array | null;

/** One SQLite connection. Everything it throws is a `LedgerError`. */
export class Database {
  readonly file: string;
  readonly #patience: Patience;
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, StatementSyncInstance>();
  /** SQLite has no lock on its log, so that closing this lets go of none (POSIX locks would go). */
  #log: number | undefined;
  readonly #files = new SameFiles();
  #watched: readonly string[];

  constructor(file: string, patience: Patience) {
    this.file = file;
    this.#patience = patience;
    this.#watched = [file];
    this.checkFiles();
    // Foreign keys only document the schema: checking them would cost a look-up per write.
    this.#connection = this.#told(
      () =>
        new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false }),
    );
    // What has been opened is that file, and no other that came in its place meanwhile.
    this.checkFiles();
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  /** Runs SQL that has no parameters and no result. */
  execute(sql: string): void {
    this.#told(() => this.#connection.exec(sql));
  }

  /** Runs one statement; says how many rows it changed and the id of the last inserted. */
  write(sql: string, values: readonly Value[] = []): { changes: number; id: number } {
    const { changes, lastInsertRowid } = this.#told(() =>
      this.#statement(sql).run(...bindable(values)),
    );
    return { changes, id: Number(lastInsertRowid) };
  }

  /** The first row of a query. */
  first<Row>(sql: string, values: readonly Value[] = []): Row | undefined {
    return this.#told(() => this.#statement(sql).get(...bindable(values)) as Row | undefined);
  }

  /** All rows of a query, in memory: queries that may have many go by pages. */
  all<Row>(sql: string, values: readonly Value[] = []): Row[] {
    return this.#told(() => this.#statement(sql).all(...bindable(values)) as Row[]);
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
      this.#beginAtOnce();
      isBegun = true;
      return this.#ended(work);
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

  #beginAtOnce(): void {
    try {
      this.execute('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
    } finally {
      this.execute(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  /** Many queries on one state of the ledger, without taking and giving back the locks for each. */
  snapshot<Result>(work: () => Result): Result {
    this.execute('BEGIN');
    return this.#ended(work);
  }

  /** Does the work of a transaction that has begun, and ends it. */
  #ended<Result>(work: () => Result): Result {
    try {
      const result = work();
      this.execute('COMMIT');
      return result;
    } catch (error) {
      // A full disk rolls back by itself; then there is nothing left to roll back.
      if (this.#connection.isTransaction) this.execute('ROLLBACK');
      throw error;
    }
  }

  /**
   * Resolves when all that was committed is on the disk, in files that are still where they were.
   * SQLite would wait for the disk at each commit, and nothing else could go on meanwhile.
   */
  async sync(): Promise<void> {
    // Where SQLite can keep no log, it sees to the disk by itself.
    if (this.#log === undefined && this.value('PRAGMA journal_mode') !== 'wal') {
      return this.checkFiles();
    }
    const log = `${this.file}-wal`;
    if (this.#log === undefined) {
      // The log is opened by its name, once that is known to be its own.
      this.#watched = [this.file, log, `${this.file}-shm`];
      this.checkFiles();
    }
    try {
      this.#log ??= openSync(log, 'r+');
      await datasync(this.#log);
    } catch (error) {
      throw ledgerError(this.file, error);
    }
    this.checkFiles();
  }

  /** Throws where one of the files is not the one that was opened: what was committed is nowhere. */
  checkFiles(): void {
    if (this.#told(() => this.#files.areSame(this.#watched))) return;
    const words =
      'the ledger has been moved, removed or replaced since it was opened, so this is not kept';
    throw new LedgerError('removed', this.file, words);
  }

  close(): void {
    if (!this.isOpen) return;
    if (this.#log !== undefined) closeSync(this.#log);
    this.#log = undefined;
    this.#emptyLog();
    this.#statements.clear();
    this.#told(() => this.#connection.close());
  }

  /**
   * SQLite itself would do this at close, but the package's statements cannot be finalised: they keep
   * the connection half open until they are collected. What cannot be moved now stays in the log,
   * as safe, for the next who opens.
   */
  #emptyLog(): void {
    try {
      this.#connection.exec('PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Another process is busy, the disk is full, or this was no ledger after all.
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

  #told<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw ledgerError(this.file, error);
    }
  }
}

/**
 * The package cuts a text off at its first NUL. As bytes it is whole; a column that takes only text
 * refuses them, which is better than a part.
 */
function bindable(values: readonly Value[]): readonly Value[] {
  return values.some(holdsNul)
    ? values.map((value) => (holdsNul(value) ? Buffer.from(value) : value))
    : values;
}

function holdsNul(value: Value): value is string {
  return typeof value === 'string' && value.includes('\0');
}

/** Opens the ledger's file, made and brought up to date where needed. */
export async function openDatabase(file: string, patience: Patience = {}): Promise<Database> {
  try {
    refuseOddFiles(file);
    keepPrivate(file);
  } catch (error) {
    throw ledgerError(file, error);
  }
  const database = new Database(file, patience);
  try {
    refuseStrangers(database);
    await setUp(database);
    await migrate(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Before anything is changed: is this a ledger, and one that this version knows? */
function refuseStrangers(database: Database): void {
  // In one look: another process may be making the ledger right now.
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
    refuse('foreign', 'this SQLite file is something else than a ledger: give another place');
  }
  if (version > SCHEMA_VERSION) {
    const versions = `schema ${version}, this one knows ${SCHEMA_VERSION}`;
    refuse('newer', `the ledger was written by a newer lectern (${versions}): update lectern`);
  }
  if (version < 0 || isEmpty !== (version === 0)) {
    refuse('corrupt', `the ledger has schema ${version}, which no lectern wrote: ${ASIDE}`);
  }
  if (isCutShort(database.file, pageBytes)) {
    refuse('corrupt', `the file of the ledger ends in the middle of a page: ${ASIDE}`);
  }
}

const SETTINGS = [
  // What is acknowledged survives a power cut, not just a crash: `sync` sees to the log, and SQLite to
  // the rest, for which macOS needs fullfsync.
  'PRAGMA synchronous = NORMAL',
  'PRAGMA fullfsync = ON',
  'PRAGMA checkpoint_fullfsync = ON',
  // Before-images are student data: what is deleted is overwritten.
  'PRAGMA secure_delete = ON',
  // 16 MB between checkpoints rather than 4: a bulk run would spend its time on them.
  'PRAGMA wal_autocheckpoint = 4000',
  'PRAGMA journal_size_limit = 16777216',
];

async function setUp(database: Database): Promise<void> {
  const mode = await switchToWal(database);
  for (const setting of SETTINGS) database.value(setting);
  if (mode !== 'wal') database.value('PRAGMA synchronous = FULL');
}

/** The switch of a new file needs it alone, and SQLite does not wait for that by itself. */
function switchToWal(database: Database): Promise<string | number> {
  return database.whileBusy(() => database.value('PRAGMA journal_mode = WAL'));
}

async function migrate(database: Database): Promise<void> {
  if (database.value('PRAGMA user_version') === SCHEMA_VERSION) return;
  await database.transaction(() => {
    // Read again under the lock: another process may have done it meanwhile.
    const version = Number(database.value('PRAGMA user_version'));
    for (const migration of MIGRATIONS.slice(version)) database.execute(migration);
    database.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.execute(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}
