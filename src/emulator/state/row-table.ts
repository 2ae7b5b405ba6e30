import type { RowKind } from '../../contract/index.ts';
import type { Store } from '../store/store.ts';
import type { EmulatorClock } from './clock.ts';

/** The names in the address of a row; '' for those that its kind does not have. */
export interface RowNames {
  readonly kind: RowKind;
  readonly tool: string;
  readonly course: string;
  readonly location: string;
  readonly member: string;
}

/** An existing row: its address with its course, and its key in the store. */
export interface EmulatedRow extends RowNames {
  readonly key: string;
}

export function rowKey({ kind, tool, course, location, member }: RowNames): string {
  switch (kind) {
    case 'context':
      return `context/${tool}/${course}`;
    case 'location':
      return `location/${tool}/${location}`;
    case 'member':
      return `member/${tool}/${member}`;
    case 'member_location':
      return `member_location/${tool}/${location}/${member}`;
  }
}

/**
 * What wrote a version: the seed (`start`), a PUT or PATCH of the service, the control side
 * (`console`), `chaos`, or the launches of `emulator fixture`.
 */
export type WrittenBy = 'start' | 'PUT' | 'PATCH' | 'console' | 'chaos' | 'fixture';

/** A version of a row, without its bytes. */
export interface RowVersion {
  /** Counts the writes to the row from 1. */
  readonly number: number;
  /** ms since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly by: WrittenBy;
  /** The launch whose token wrote it; null for the control side. */
  readonly launch_id: string | null;
  readonly bytes: number;
}

const KEPT_VERSIONS = 20;
/** The maximum size of all versions but the newest of each row. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** The oldest are dropped each time when so much was written. */
const DROPPED_BYTES = KEPT_BYTES / 16;

const COLUMNS = 'key, kind, tool, course, location, member';
const OPEN = `INSERT INTO rows (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const WRITE = `INSERT INTO rows (${COLUMNS}, version, size) VALUES (?, ?, ?, ?, ?, ?, 1, ?)
  ON CONFLICT DO UPDATE SET version = version + 1, size = excluded.size`;
const ADD_VERSION = `INSERT INTO row_versions SELECT key, version, ?, ?, ?, ? FROM rows WHERE key = ?`;
const DROP_OF_ROW = `DELETE FROM row_versions
  WHERE row = ? AND number <= (SELECT version FROM rows WHERE key = row) - ?`;
const DROP_OLDEST = `DELETE FROM row_versions
  WHERE rowid <= (
    SELECT max(rowid) FROM (
      SELECT rowid, sum(length(body)) OVER (ORDER BY rowid DESC) AS total FROM row_versions
    ) WHERE total > ?
  ) AND number < (SELECT version FROM rows WHERE key = row)`;

/** The rows: their bytes with the latest versions, and whether the shared ones are provisioned. */
export class Rows {
  readonly #store: Store;
  readonly #clock: Pick<EmulatorClock, 'now'>;
  /** Since the oldest versions were dropped. */
  #writtenBytes = 0;

  constructor(store: Store, clock: Pick<EmulatorClock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
  }

  /** A row's bytes as last written; undefined if it was never written. */
  body(key: string): Uint8Array | undefined {
    const sql =
      'SELECT body FROM rows JOIN row_versions ON row = key AND number = version WHERE key = ?';
    return this.#store.first<{ body: Uint8Array }>(sql, [key])?.body;
  }

  /** Replaces a row, and keeps this version of it. */
  write(row: EmulatedRow, body: Uint8Array, by: WrittenBy, launchId: string | null = null): void {
    const { key } = row;
    this.#store.write(WRITE, [...valuesOf(row), body.length]);
    this.#store.write(ADD_VERSION, [this.#clock.now(), by, launchId, body, key]);
    this.#store.write(DROP_OF_ROW, [key, KEPT_VERSIONS]);
    this.#writtenBytes += body.length;
    if (this.#writtenBytes < DROPPED_BYTES) return;
    this.#store.write(DROP_OLDEST, [KEPT_BYTES - DROPPED_BYTES]);
    this.#writtenBytes = 0;
  }

  /** The latest versions of a row, the newest first. The service has none. */
  versions(key: string): RowVersion[] {
    return this.#store.all(
      `SELECT number, at, written_by AS "by", launch_id, length(body) AS bytes
       FROM row_versions WHERE row = ? ORDER BY number DESC`,
      [key],
    );
  }

  /** The bytes of a version; undefined if it was dropped. */
  version(key: string, number: number): Uint8Array | undefined {
    const sql = 'SELECT body FROM row_versions WHERE row = ? AND number = ?';
    return this.#store.first<{ body: Uint8Array }>(sql, [key, number])?.body;
  }

  /** Adds a row that was never written, unless it exists. */
  open(row: EmulatedRow): void {
    this.#store.write(OPEN, valuesOf(row));
  }

  /** When a shared row was provisioned, in ms since the epoch; null before that. */
  provisioned(key: string): number | null {
    const sql = 'SELECT provisioned AS at FROM rows WHERE key = ?';
    return this.#store.first<{ at: number | null }>(sql, [key])?.at ?? null;
  }

  provision(key: string, at: number): void {
    const sql = 'UPDATE rows SET provisioned = ? WHERE key = ? AND provisioned IS NULL';
    this.#store.write(sql, [at, key]);
  }
}

function valuesOf({ key, kind, tool, course, location, member }: EmulatedRow): (string | null)[] {
  return [key, kind, tool, course, location || null, member || null];
}
