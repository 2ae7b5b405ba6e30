import type { Database, NamedValues, Value } from '../../sqlite/database.ts';
import type { Schema } from '../../schema/schema.ts';
import { causeText, openStoreDatabase, StoreError, unreadableStore } from './database.ts';
import { StoreTable } from './table.ts';

/** A turn of the event loop: its writes become durable together. */
interface Turn {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The database of an emulator. Writes are synchronous and visible at once; those of one turn of the
 * event loop are one commit, after which `whenDurable()` resolves and the responses of the turn may be
 * sent. A failed write rolls the whole turn back.
 */
export class Store {
  readonly #database: Database;
  readonly #tables: StoreTable<object>[] = [];
  #turn: Turn | undefined;
  #isTransaction = false;
  /** A failed turn is not rolled back yet: reads would see its writes. */
  #isStale = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Opens the database at a path, or one in memory. Throws `StoreError`. */
  static open(path = ':memory:'): Store {
    return new Store(openStoreDatabase(path));
  }

  /** The records of a table; call it once for each. */
  table<T extends object>(name: string, schema: Schema<T>): StoreTable<T> {
    const table = new StoreTable(this, name, schema);
    this.#tables.push(table as StoreTable<never>);
    return table;
  }

  first<Row>(sql: string, values: readonly Value[] | NamedValues = []): Row | undefined {
    return this.#database.first(sql, values);
  }

  /** All rows of a query, in memory. */
  all<Row>(sql: string, values: readonly Value[] | NamedValues = []): Row[] {
    return this.#database.all(sql, values);
  }

  /** Adds a function of texts to the SQL of this store. */
  define(name: string, compute: (...texts: string[]) => string | number): void {
    this.#database.define(name, compute);
  }

  /** The value of a query with one row and one column. */
  value(sql: string): string | number {
    return this.#database.value(sql);
  }

  /** Runs one statement within the current turn's commit; returns how many rows it changed. */
  write(sql: string, values: readonly Value[] = []): number {
    this.#begin();
    return this.#guard(() => this.#database.write(sql, values).changes);
  }

  /** Makes the file smaller by what was deleted, within the current turn's commit. */
  giveSpaceBack(): void {
    this.#begin();
    this.#guard(() => this.#database.execute('PRAGMA incremental_vacuum'));
  }

  /** Empties all tables except these, within the current turn's commit. */
  clear(except: readonly string[] = []): void {
    for (const name of this.#tableNames()) {
      if (!except.includes(name)) this.write(`DELETE FROM ${name}`);
    }
    this.giveSpaceBack();
    this.#forget();
  }

  #tableNames(): string[] {
    const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    return this.all<{ name: string }>(sql).map(({ name }) => name);
  }

  /** Resolves at the end of this turn of the event loop, when all its writes are durable. */
  whenDurable(): Promise<void> {
    return this.#openTurn().done;
  }

  /** Copies what is durable into a new file. */
  async copyTo(file: string): Promise<void> {
    await this.#whenIdle();
    this.#database.write('VACUUM INTO ?', [file]);
  }

  /** Copies all tables into those of a file, which are empty. Throws `StoreError`. */
  fill(file: string): Promise<void> {
    return this.#beside(file, (name) => [`INSERT INTO beside.${name} SELECT * FROM main.${name}`]);
  }

  /**
   * Replaces the contents of all tables except these by those of a file with the same tables, in one
   * commit. Throws `StoreError`; then nothing was changed.
   */
  async replaceBy(file: string, except: readonly string[] = []): Promise<void> {
    await this.#beside(file, (name) =>
      except.includes(name)
        ? []
        : [`DELETE FROM main.${name}`, `INSERT INTO main.${name} SELECT * FROM beside.${name}`],
    );
    this.giveSpaceBack();
    this.#forget();
  }

  /** Runs statements for each table beside a file, in one commit. */
  async #beside(file: string, statements: (table: string) => readonly string[]): Promise<void> {
    await this.#whenIdle();
    this.#database.write('ATTACH ? AS beside', [file]);
    try {
      this.#database.execute('BEGIN IMMEDIATE');
      this.#isTransaction = true;
      for (const sql of this.#tableNames().flatMap(statements)) this.write(sql);
      this.#guard(() => this.#commit());
    } finally {
      this.#database.execute('DETACH beside');
    }
  }

  /** Until no write is open, which could still be rolled back. */
  async #whenIdle(): Promise<void> {
    while (this.#isTransaction) await this.whenDurable();
  }

  /** Commits what is still open and closes the database. */
  close(): void {
    this.#endTurn();
    this.#database.close();
  }

  #begin(): void {
    if (this.#isTransaction) return;
    this.#openTurn();
    this.#guard(() => this.#database.execute('BEGIN IMMEDIATE'));
    this.#isTransaction = true;
  }

  #openTurn(): Turn {
    if (this.#turn !== undefined) return this.#turn;
    // After the poll phase: by then every request that arrived in this turn has made its writes.
    setImmediate(() => this.#endTurn());
    this.#turn = newTurn();
    return this.#turn;
  }

  #endTurn(): void {
    try {
      if (this.#isTransaction) this.#guard(() => this.#commit());
    } catch {
      return; // #guard has rejected the turn
    }
    this.#turn?.resolve();
    this.#turn = undefined;
  }

  #commit(): void {
    // Writes to a file that was removed or replaced would be lost.
    this.#database.checkFiles();
    this.#database.execute('COMMIT');
    this.#isTransaction = false;
  }

  #guard<Result>(action: () => Result): Result {
    try {
      return action();
    } catch (cause) {
      const why = causeText(cause);
      const error = new StoreError(`the store could not be written: ${why}`, { cause });
      this.#rollBack(error);
      throw error;
    }
  }

  #rollBack(error: StoreError): void {
    const turn = this.#turn;
    this.#turn = undefined;
    this.#isTransaction = false;
    this.#isStale = true;
    try {
      this.recover();
    } catch {
      // The next call reports it.
    }
    turn?.reject(error);
  }

  /**
   * Ends the transaction of a failed write. Throws `StoreError` if that fails: then nothing may be
   * answered, since reads would see what was not committed.
   */
  recover(): void {
    if (!this.#isStale) return;
    try {
      if (this.#database.isTransaction) this.#database.execute('ROLLBACK');
      this.#forget();
      this.#isStale = false;
    } catch (cause) {
      throw unreadableStore(cause);
    }
  }

  #forget(): void {
    for (const table of this.#tables) table.forget();
  }
}

function newTurn(): Turn {
  let resolve = (): void => {};
  let reject = (_error: unknown): void => {};
  const done = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  done.catch(() => {}); // Avoids an unhandled rejection if no request waits for it.
  return { done, resolve, reject };
}
