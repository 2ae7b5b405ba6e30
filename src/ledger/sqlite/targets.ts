import type { Database } from '../../sqlite/database.ts';
import type { GradeAddress, Intent } from '../ledger.ts';
import { toTemplate } from '../marked-url.ts';
import { withoutNul } from '../columns.ts';

/** More targets than a real run has; for URLs without a member segment there is one per member. */
const MAX_CACHED = 1000;

/** The grade URLs, each stored once for all members. */
export class Targets {
  readonly #database: Database;
  readonly #ids = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The id of an attempt's target, which is stored if new; call it in a transaction. */
  idOf(attempt: GradeAddress & Pick<Intent, 'location' | 'context'>): number {
    const location = claimText(attempt.location);
    const context = claimText(attempt.context);
    const url = toTemplate(attempt);
    const key = `${url}\n${location}\n${context}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.#store(url, location, context);
    if (this.#ids.size >= MAX_CACHED) this.forget();
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

  /** The id of a target by its URL template; undefined if nothing was ever sent there. */
  find(template: string): number | undefined {
    const sql = 'SELECT id FROM targets WHERE url = ?';
    return this.#database.first<{ id: number }>(sql, [template])?.id;
  }

  /** Clears the cache, whose entries may have been rolled back. */
  forget(): void {
    this.#ids.clear();
  }
}

/** A claim that only helps to find an attempt again. */
function claimText(text: string | undefined): string | null {
  return text === undefined ? null : withoutNul(text);
}
