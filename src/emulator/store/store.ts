import { statSync } from 'node:fs';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { Collection } from './collection.ts';
import { openDatabase, prepareStatements } from './database.ts';
import { RowSnapshot } from './row-snapshot.ts';
import { StoreError } from './store-error.ts';
import { type StoredAttempt, StoredAttempts } from './stored-attempts.ts';

/** A turn of the event loop: its writes become durable together. */
interface Turn {
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * All state except the files' bytes. Writes are synchronous and visible at once; those of one turn of
 * the event loop are one commit, after which `whenDurable()` resolves and the responses of the turn may
 * be sent. A failed write rolls the whole turn back, and the state in memory is read again.
 */
export class Store {
  readonly #database: DatabaseSyncInstance;
  readonly #collections: Collection<object>[] = [];
  /** Names of the collections that a reset does not clear. */
  readonly #settings: string[] = [];
  readonly #statements;
  /** Undefined for a store in memory. */
  readonly #file: OpenedFile | undefined;
  #turn: Turn | undefined;
  #isTransaction = false;
  /** The state in memory may differ from what is stored. */
  #isStale = false;
  readonly #snapshots = new Set<RowSnapshot>();
  readonly attempts: StoredAttempts;

  /** Opens the database at a path, or in memory with `:memory:`. Throws `StoreError`. */
  constructor(path: string) {
    this.#database = openDatabase(path);
    this.#file = path === ':memory:' ? undefined : new OpenedFile(path);
    this.#statements = prepareStatements(this.#database);
    this.attempts = new StoredAttempts(this.#database);
  }

  /** Like `collection`, for settings that `clear` keeps. */
  settings<T extends object>(name: string): Collection<T> {
    this.#settings.push(name);
    return this.collection<T>(name);
  }

  /** A set of records by id, held in memory and written through. Call it once per name. */
  collection<T extends object>(name: string): Collection<T> {
    const collection = new Collection<T>({
      load: () => this.#recordsOf<T>(name),
      put: (id, item) => this.#write(this.#statements.putRecord, name, id, JSON.stringify(item)),
      delete: (id) => this.#write(this.#statements.deleteRecord, name, id),
    });
    this.#collections.push(collection);
    return collection;
  }

  *#recordsOf<T>(name: string): Generator<[string, T]> {
    for (const { id, json } of this.#statements.records.all(name) as RecordRow[]) {
      yield [id, JSON.parse(json) as T];
    }
  }

  /** A row's bytes as last written; undefined if it was never written. */
  row(key: string): Uint8Array | undefined {
    try {
      return (this.#statements.getRow.get(key) as { body: Uint8Array } | undefined)?.body;
    } catch (cause) {
      throw new StoreError(`the store could not be read: ${(cause as Error).message}`, { cause });
    }
  }

  putRow(key: string, body: Uint8Array): void {
    for (const snapshot of this.#snapshots) snapshot.keep(key);
    this.#write(this.#statements.putRow, key, body);
  }

  /** Every row that was ever written. */
  *rows(): Generator<{ key: string; body: Uint8Array }> {
    yield* this.#statements.rows.iterate() as IterableIterator<{ key: string; body: Uint8Array }>;
  }

  /** Stores an attempt. */
  addAttempt(attempt: Omit<StoredAttempt, 'sequence'>): void {
    const { location, member, submitted, json, payload } = attempt;
    this.#write(this.#statements.putAttempt, location, member, submitted, json, payload);
  }

  /** The bytes of every row that was ever written, by its key. */
  rowSizes(): Map<string, number> {
    const sizes = this.#database
      .prepare('SELECT key, length(body) AS bytes FROM rows ORDER BY key')
      .all() as unknown as { key: string; bytes: number }[];
    return new Map(sizes.map(({ key, bytes }) => [key, bytes]));
  }

  rowCount(): number {
    const { count } = this.#database.prepare('SELECT count(*) AS count FROM rows').get() as {
      count: number;
    };
    return count;
  }

  /** Every record, including settings. */
  records(): StoredRecord[] {
    return this.#database
      .prepare('SELECT collection, id, json FROM records ORDER BY rowid')
      .all() as unknown as StoredRecord[];
  }

  /** A snapshot of all rows; it must be passed to `endSnapshot`. */
  snapshotRows(): RowSnapshot {
    const keys = this.#database.prepare('SELECT key FROM rows ORDER BY key').all() as {
      key: string;
    }[];
    const snapshot = new RowSnapshot(
      keys.map(({ key }) => key),
      (key) => this.row(key),
    );
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  endSnapshot(snapshot: RowSnapshot): void {
    this.#snapshots.delete(snapshot);
  }

  #invalidateSnapshots(): void {
    for (const snapshot of this.#snapshots) snapshot.invalidate();
  }

  /** Replaces all contents, within the current turn's commit. */
  replace({ records, rows, attempts }: Contents): void {
    this.#begin();
    this.#invalidateSnapshots();
    this.#guard(() => {
      this.#database.exec('DELETE FROM records; DELETE FROM rows; DELETE FROM attempts');
      const { putRecord, putRow, putAttempt } = this.#statements;
      for (const { collection, id, json } of records) putRecord.run(collection, id, json);
      for (const [key, body] of rows) putRow.run(key, body);
      for (const { location, member, submitted, json, payload } of attempts) {
        putAttempt.run(location, member, submitted, json, payload);
      }
    });
    this.#reload();
  }

  /** Deletes everything except the settings, within the current turn's commit. */
  clear(): void {
    this.#begin();
    this.#invalidateSnapshots();
    const kept = this.#settings.map(() => '?').join(', ');
    this.#guard(() => {
      this.#database.exec('DELETE FROM rows; DELETE FROM attempts');
      const forget = `DELETE FROM records WHERE collection NOT IN (${kept})`;
      this.#database.prepare(forget).run(...this.#settings);
    });
    this.#reload();
  }

  /** Whether something was written in this turn, which may still be rolled back. */
  get hasOpenWrites(): boolean {
    return this.#isTransaction;
  }

  /** Resolves at the end of this turn of the event loop, when all its writes are durable. */
  whenDurable(): Promise<void> {
    return this.#openTurn().done;
  }

  /** Commits what is still open and closes the database. */
  close(): void {
    this.#endTurn();
    this.#database.close();
  }

  #write(statement: StatementSyncInstance, ...values: (string | number | Uint8Array)[]): void {
    this.#begin();
    this.#guard(() => statement.run(...values));
  }

  #begin(): void {
    if (this.#isTransaction) return;
    this.#openTurn();
    this.#guard(() => this.#database.exec('BEGIN IMMEDIATE'));
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
    this.#file?.check();
    this.#database.exec('COMMIT');
    this.#isTransaction = false;
  }

  #guard(action: () => void): void {
    try {
      action();
    } catch (cause) {
      const why = (cause as Error).message;
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
   * Reads the state again after a failed write. Throws `StoreError` if that fails: then nothing may be
   * answered from memory.
   */
  recover(): void {
    if (!this.#isStale) return;
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      this.#reload();
      this.#isStale = false;
    } catch (cause) {
      throw new StoreError(`the store could not be read: ${(cause as Error).message}`, { cause });
    }
  }

  #reload(): void {
    for (const collection of this.#collections) collection.load();
  }
}

interface RecordRow {
  readonly id: string;
  readonly json: string;
}

/** A record as the store keeps it. */
export interface StoredRecord extends RecordRow {
  readonly collection: string;
}

/** All contents of a store. */
export interface Contents {
  readonly records: readonly StoredRecord[];
  readonly rows: readonly (readonly [key: string, body: Uint8Array])[];
  readonly attempts: readonly Omit<StoredAttempt, 'sequence'>[];
}

function newTurn(): Turn {
  let resolve = (): void => {};
  let reject = (_error: unknown): void => {};
  const done = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  done.catch(() => {}); // not an unhandled rejection if nobody waits
  return { done, resolve, reject };
}

/** Detects that an open file was removed or replaced. */
class OpenedFile {
  readonly #path: string;
  readonly #identity: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#identity = identityOf(path);
  }

  /** Throws if another file, or none, has its path: what is written to it would be lost. */
  check(): void {
    if (identityOf(this.#path) !== this.#identity) {
      throw new Error(`${this.#path} was removed or replaced`);
    }
  }
}

/** Undefined if there is no file. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
