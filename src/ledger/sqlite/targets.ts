import type { Database } from './database.ts';
import type { GradeAddress, Intent } from '../ledger.ts';
import { toTemplate } from '../marked-url.ts';
import { withoutNul } from '../outcome-columns.ts';

/** More targets than any real run has; where URLs hold no member segment, there is one per member. */
const REMEMBERED = 1000;

/** The grade addresses, each stored once for all members. */
export class Targets {
  readonly #database: Database;
  readonly #ids = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The id of an attempt's target, which is stored if it is new: call it in a transaction. */
  idOf(attempt: GradeAddress & Pick<Intent, 'location' | 'context'>): number {
    const location = claimText(attempt.location);
    const context = claimText(attempt.context);
    const url = toTemplate(attempt);
    const key = `${url}\n${location}\n${context}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#store(url, location, context);
    if (this.#ids.size >= REMEMBERED) this.forget();
    this.#ids.set(key, id);
    return id;
  }

  #store(url: string, location: string | null, context: string | null): number {
    const row = this.#database.first<{ id: number }>(
      `INSERT INTO targets (url, location, context) VALUES (?, ?, ?)
       ON CONFLICT (url) DO UPDATE SET
         location = coalesce(location, excluded.location),
         context = coalesce(context, excluded.context)
       RETURNING id`,
      [url, location, context],
    );
    return row?.id ?? 0;
  }

  /** The id of an address's target, if anything was ever sent there. */
  find(markedUrl: string): number | undefined {
    const sql = 'SELECT id FROM targets WHERE url = ?';
    return this.#database.first<{ id: number }>(sql, [markedUrl])?.id;
  }

  /** What was remembered may have been rolled back. */
  forget(): void {
    this.#ids.clear();
  }
}

/** A launch's own words about where it goes: they only help to find an attempt again. */
function claimText(text: string | undefined): string | null {
  return text === undefined ? null : withoutNul(text);
}
