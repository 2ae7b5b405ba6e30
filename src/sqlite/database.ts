import { DatabaseSync, type StatementSyncInstance } from '@photostructure/sqlite';
import { SqliteError } from './error.ts';
import { type Patience, whileBusy } from './locks.ts';
import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export type Value = string | number | Uint8Array | null;

/** The values of a statement, by the names of its parameters or in their order. */
export type NamedValues = Readonly<Record<string, Value>>;
type Values = readonly Value[] | NamedValues;

export interface DatabaseOptions {
  /** How long to wait for a write of another process; 0 by default. */
  readonly busyMs?: number;
  /** How such a wait can be interrupted and reported. */
  readonly patience?: Patience;
  /** Converts an error of SQLite before it is thrown; by default it is unchanged. */
  readonly errorOf?: (cause: unknown) => unknown;
  /** Reads a file that is not written to, without a lock, a log or a file beside it. */
  readonly isReadOnly?: boolean;
}

/** How a file is written, in addition to a log and commits that survive a power failure. */
export interface LogOptions {
  readonly checkpointPages: number;
  /** More pragmas, such as `secure_delete = ON`. */
  readonly settings?: readonly string[];
}

/** In memory; a temporary database, which grows onto the disk. */
const WITHOUT_FILE = [':memory:', ''];

/** One connection to a SQLite file, which exists, or to a database in memory. */
export class Database {
  readonly file: string;
  readonly #busyMs: number;
  readonly #patience: Patience;
  readonly #errorOf: (cause: unknown) => unknown;
  readonly #connection: InstanceType<typeof DatabaseSync>;
  readonly #statements = new Map<string, StatementSyncInstance>();
  readonly #iterated = new Set<StatementSyncInstance>();
  #watched: readonly string[];
  /** What identifies the watched files, since they were first checked. */
  readonly #identities = new Map<string, string>();

  constructor(
    file: string,
    {
      busyMs = 0,
      patience = {},
      errorOf = (cause) => cause,
      isReadOnly = false,
    }: DatabaseOptions = {},
  ) {
    this.file = file;
    this.#busyMs = busyMs;
    this.#patience = patience;
    this.#errorOf = errorOf;
    this.#watched = WITHOUT_FILE.includes(file) ? [] : [file];
    this.checkFiles();
    const options = {
      timeout: busyMs,
      // Foreign keys only document the schema: checking them would cost a look-up per write.
      enableForeignKeyConstraints: false,
      readOnly: isReadOnly,
    };
    const path = isReadOnly ? `${pathToFileURL(file).href}?immutable=1` : file;
    this.#connection = this.#withError(() => new DatabaseSync(path, options));
    // Detects that the file was replaced while it was opened.
    this.checkFiles();
  }

  get isOpen(): boolean {
    return this.#connection.isOpen;
  }

  get isTransaction(): boolean {
    return this.#connection.isTransaction;
  }

  get isReadOnly(): boolean {
    return this.value('PRAGMA query_only') === 1;
  }

  /** Writes through a log, which readers do not wait for; a commit survives a power failure. */
  useLog({ checkpointPages, settings = [] }: LogOptions): void {
    const checkpoint = `wal_autocheckpoint = ${checkpointPages}`;
    const all = ['journal_mode = WAL', 'synchronous = FULL', checkpoint, ...settings];
    this.execute(all.map((setting) => `PRAGMA ${setting}`).join(';'));
  }

  /** Runs SQL that has no parameters and no result. */
  execute(sql: string): void {
    this.#withError(() => this.#connection.exec(sql));
  }

  /** Adds a function of texts to the SQL of this connection. */
  define(name: string, compute: (...texts: string[]) => string | number): void {
    const options = { deterministic: true, varargs: true };
    this.#connection.function(name, options, (...given: unknown[]) =>
      compute(...given.map(String)),
    );
  }

  /** Runs one statement; returns how many rows it changed and the id of the last inserted. */
  write(sql: string, values: Values = []): { changes: number; id: number } {
    return this.#withError(() => {
      const { changes, lastInsertRowid } = this.#statement(sql).run(...bindable(values));
      return { changes, id: Number(lastInsertRowid) };
    });
  }

  first<Row>(sql: string, values: Values = []): Row | undefined {
    return this.#withError(() => this.#statement(sql).get(...bindable(values)) as Row | undefined);
  }

  /** All rows of a query, in memory: use pages for large results. */
  all<Row>(sql: string, values: Values = []): Row[] {
    return this.#withError(() => this.#statement(sql).all(...bindable(values)) as Row[]);
  }

  /** The rows of a query one by one, while others are run. */
  *each<Row>(sql: string, values: readonly Value[] = []): Generator<Row> {
    const statement = this.#withError(() => this.#connection.prepare(sql));
    // The package's iterator does not keep its statement from being garbage collected.
    this.#iterated.add(statement);
    try {
      yield* statement.iterate(...bindable(values)) as IterableIterator<Row>;
    } catch (error) {
      throw this.#errorOf(error);
    } finally {
      this.#iterated.delete(statement);
    }
  }

  /** The value of a pragma, or of any query with one row and one column. */
  value(sql: string): string | number {
    const row = this.first<Record<string, string | number>>(sql);
    return Object.values(row ?? {})[0] ?? '';
  }

  /**
   * A transaction. The write lock is taken at once: taking it later can fail half-way. While
   * another process has it, this process continues, and an interrupt ends the wait if `mayGiveUp`
   * allows it.
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

  /** Tries again while another process has a lock of the file. */
  async whileBusy<Result>(
    attempt: () => Result,
    options: { mayTryAgain?: () => boolean; mayGiveUp?: () => boolean } = {},
  ): Promise<Result> {
    try {
      return await whileBusy(this.#busyMs, attempt, { patience: this.#patience, ...options });
    } catch (error) {
      throw this.#errorOf(error);
    }
  }

  #beginImmediate(): void {
    try {
      this.execute('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
    } finally {
      this.execute(`PRAGMA busy_timeout = ${this.#busyMs}`);
    }
  }

  /** Runs many queries on one snapshot, without acquiring the locks for each. */
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

  /** From now on `checkFiles` checks the files of the log as well, if the file system can have one. */
  watchLog(): void {
    if (this.value('PRAGMA journal_mode') !== 'wal') return;
    this.#watched = [this.file, `${this.file}-wal`, `${this.file}-shm`];
    this.checkFiles();
  }

  /**
   * Throws if a file was removed or replaced since it was first checked: it can still be written while
   * it is open, but commits would be lost.
   */
  checkFiles(): void {
    this.#withError(() => {
      for (const path of this.#watched) {
        const identity = identityOf(path);
        const before = this.#identities.get(path) ?? identity;
        if (identity === undefined || identity !== before) {
          throw new SqliteError('replaced', `${this.file} was removed or replaced`);
        }
        this.#identities.set(path, identity);
      }
    });
  }

  close(): void {
    if (!this.isOpen) return;
    this.#emptyLog();
    this.#statements.clear();
    this.#withError(() => this.#connection.close());
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
      // Another process is busy, the disk is full, or this is not a SQLite file.
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

  #withError<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw this.#errorOf(error);
    }
  }
}

/** The values of a statement as the package takes them. */
function bindable(values: Values): (Value | NamedValues)[] {
  if (Array.isArray(values)) return values.map(wholeText);
  // Taken as they are, as most are: a copy takes microseconds.
  const isWhole = (value: Value): boolean => wholeText(value) === value;
  if (Object.values<Value>(values).every(isWhole)) return [values as NamedValues];
  const named = Object.entries<Value>(values).map(([name, value]) => [name, wholeText(value)]);
  return [Object.fromEntries(named) as NamedValues];
}

/**
 * The package truncates a text at its first NUL, so such a text is bound as bytes; a column of text only
 * refuses them, which is better than losing a part.
 */
function wholeText(value: Value): Value {
  return typeof value === 'string' && value.includes('\0') ? Buffer.from(value) : value;
}

/** The inode of an open file cannot be reused. */
function identityOf(path: string): string | undefined {
  // Some inodes do not fit in a JavaScript number.
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}
