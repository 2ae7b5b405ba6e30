import type { Database, Value } from '../../sqlite/database.ts';
import { Collection } from './collection.ts';
import {
  openStoreDatabase,
  STATEMENTS,
  causeText,
  StoreError,
  unreadableStore,
} from './database.ts';
import { RowSnapshot } from './row-snapshot.ts';
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
  readonly #database: Database;
  readonly #collections: Collection<object>[] = [];
  /** Names of the collections that a reset does not clear. */
  readonly #settings: string[] = [];
  #turn: Turn | undefined;
  #isTransaction = false;
  /** The state in memory may differ from what is stored. */
  #isStale = false;
  readonly #snapshots = new Set<RowSnapshot>();
  readonly attempts: StoredAttempts;

  /** Opens the database at a path, or in memory with `:memory:`. Throws `StoreError`. */
  constructor(path: string) {
    this.#database = openStoreDatabase(path);
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
      put: (id, item) => this.#write(STATEMENTS.putRecord, name, id, JSON.stringify(item)),
      delete: (id) => this.#write(STATEMENTS.deleteRecord, name, id),
    });
    this.#collections.push(collection);
    return collection;
  }

  *#recordsOf<T>(name: string): Generator<[string, T]> {
    for (const { id, json } of this.#database.all<RecordRow>(STATEMENTS.records, [name])) {
      yield [id, JSON.parse(json) as T];
    }
  }

  /** A row's bytes as last written; undefined if it was never written. */
  row(key: string): Uint8Array | undefined {
    return this.#database.first<{ body: Uint8Array }>(STATEMENTS.getRow, [key])?.body;
  }

  putRow(key: string, body: Uint8Array): void {
    for (const snapshot of this.#snapshots) snapshot.keep(key);
    this.#write(STATEMENTS.putRow, key, body);
  }

  /** Every row that was ever written. */
  *rows(): Generator<{ key: string; body: Uint8Array }> {
    yield* this.#database.each('SELECT key, body FROM rows ORDER BY key');
  }

  addAttempt({ location, member, submitted, json, payload }: NewAttempt): void {
    this.#write(STATEMENTS.putAttempt, location, member, submitted, json, payload);
  }

  /** The bytes of every row that was ever written, by its key. */
  rowSizes(): Map<string, number> {
    const sql = 'SELECT key, length(body) AS bytes FROM rows ORDER BY key';
    const sizes = this.#database.all<{ key: string; bytes: number }>(sql);
    return new Map(sizes.map(({ key, bytes }) => [key, bytes]));
  }

  rowCount(): number {
    return Number(this.#database.value('SELECT count(*) FROM rows'));
  }

  /** Every record, including settings. */
  records(): StoredRecord[] {
    return this.#database.all('SELECT collection, id, json FROM records ORDER BY rowid');
  }

  /** A snapshot of all rows; it must be passed to `endSnapshot`. */
  snapshotRows(): RowSnapshot {
    const keys = this.#database.all<{ key: string }>('SELECT key FROM rows ORDER BY key');
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
      const database = this.#database;
      const { putRecord, putRow, putAttempt } = STATEMENTS;
      database.execute('DELETE FROM records; DELETE FROM rows; DELETE FROM attempts');
      for (const { collection, id, json } of records)
        database.write(putRecord, [collection, id, json]);
      for (const row of rows) database.write(putRow, row);
      for (const { location, member, submitted, json, payload } of attempts) {
        database.write(putAttempt, [location, member, submitted, json, payload]);
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
      this.#database.execute('DELETE FROM rows; DELETE FROM attempts');
      const forget = `DELETE FROM records WHERE collection NOT IN (${kept})`;
      this.#database.write(forget, this.#settings);
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

  #write(sql: string, ...values: Value[]): void {
    this.#begin();
    this.#guard(() => this.#database.write(sql, values));
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

  #guard(action: () => void): void {
    try {
      action();
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
   * Reads the state again after a failed write. Throws `StoreError` if that fails: then nothing may be
   * answered from memory.
   */
  recover(): void {
    if (!this.#isStale) return;
    try {
      if (this.#database.isTransaction) this.#database.execute('ROLLBACK');
      this.#reload();
      this.#isStale = false;
    } catch (cause) {
      throw unreadableStore(cause);
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
  readonly attempts: readonly NewAttempt[];
}

type NewAttempt = Omit<StoredAttempt, 'sequence'>;

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
