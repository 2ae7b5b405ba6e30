import type { RowKind } from '../../contract/index.ts';
import type { Store } from '../store/store.ts';

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

/** The rows: their bytes, and whether the shared ones are provisioned. */
export class Rows {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A row's bytes as last written; undefined if it was never written. */
  body(key: string): Uint8Array | undefined {
    const sql = 'SELECT body FROM rows WHERE key = ?';
    return this.#store.first<{ body: Uint8Array | null }>(sql, [key])?.body ?? undefined;
  }

  write(row: EmulatedRow, body: Uint8Array): void {
    const { key, kind, tool, course, location, member } = row;
    this.#store.write(
      `INSERT INTO rows (key, kind, tool, course, location, member, body) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET body = excluded.body`,
      [key, kind, tool, course, location || null, member || null, body],
    );
  }

  /** Adds a row that was never written, unless it exists. */
  open({ key, kind, tool, course, location, member }: EmulatedRow): void {
    this.#store.write(
      `INSERT INTO rows (key, kind, tool, course, location, member) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      [key, kind, tool, course, location || null, member || null],
    );
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
