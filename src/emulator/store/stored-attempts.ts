import type { Database } from '../../sqlite/database.ts';

/** A score in the gradebook, with its attempt. */
export type GradebookCell = Pick<StoredAttempt, 'location' | 'member' | 'sequence'>;

/** A stored attempt: the record, and the payload that the LMS accepted, or ''. */
export interface StoredAttempt {
  readonly sequence: number;
  readonly location: string;
  readonly member: string;
  /** ms since the epoch. */
  readonly submitted: number;
  readonly json: string;
  readonly payload: string;
}

/** The stored attempts, and the gradebook that results from them. */
export class StoredAttempts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The LMS gradebook: the latest accepted score of each student at each location. */
  gradebook<Payload>(): { location: string; member: string; payload: Payload }[] {
    return this.gradebookCells().map(({ location, member, sequence }) => {
      return { location, member, payload: this.payload<Payload>(sequence) };
    });
  }

  /** The same cells without their contents, by location and member; the key names the attempt. */
  gradebookCells(): GradebookCell[] {
    return this.#database.all(
      `SELECT location, member, sequence, max(submitted) FROM attempts
       WHERE payload <> '' GROUP BY location, member`,
    );
  }

  /** The payload that the LMS got with an attempt, by its sequence number. */
  payload<Payload>(sequence: number): Payload {
    const sql = 'SELECT payload FROM attempts WHERE sequence = ?';
    const row = this.#database.first<{ payload: string }>(sql, [sequence]);
    return JSON.parse(row?.payload ?? '') as Payload;
  }

  count(): number {
    return this.#count('');
  }

  failedCount(): number {
    return this.#count("WHERE payload = ''");
  }

  #count(where: string): number {
    return Number(this.#database.value(`SELECT count(*) FROM attempts ${where}`));
  }

  /** Attempts from the latest on: all, or `count` of them after skipping some. */
  *backwards<T>(count = -1, after = 0): Generator<T> {
    const sql = 'SELECT json FROM attempts ORDER BY sequence DESC LIMIT ? OFFSET ?';
    const rows = this.#database.each<JsonRow>(sql, [count, after]);
    for (const { json } of rows) yield JSON.parse(json) as T;
  }

  /**
   * The same for a location, or for all if it is ''; as text, since parsing takes longer than
   * reading.
   */
  *texts(location: string): Generator<{ member: string; json: string }> {
    yield* this.#database.each<{ member: string; json: string }>(
      "SELECT member, json FROM attempts WHERE ? IN ('', location) ORDER BY sequence DESC",
      [location],
    );
  }

  /** Every attempt, in the order of recording. */
  *all<T>(): Generator<T> {
    const rows = this.#database.each<JsonRow>('SELECT json FROM attempts ORDER BY sequence');
    for (const { json } of rows) yield JSON.parse(json) as T;
  }

  /** When the latest attempt was submitted, in ms since the epoch; 0 if there is none. */
  lastSubmitted(): number {
    return Number(this.#database.value('SELECT max(submitted) FROM attempts'));
  }

  /** The sequence number of the latest attempt; 0 if there is none. */
  lastSequence(): number {
    return Number(this.#database.value('SELECT max(sequence) FROM attempts'));
  }

  /** Up to `count` attempts after this sequence number, in the order of recording. */
  after(sequence: number, count: number): StoredAttempt[] {
    const sql = 'SELECT * FROM attempts WHERE sequence > ? ORDER BY sequence LIMIT ?';
    return this.#database.all(sql, [sequence, count]);
  }
}

interface JsonRow {
  readonly json: string;
}
