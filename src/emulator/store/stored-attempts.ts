/** What is used of the database. Its own type is of a package that whoever installs lectern does not have. */
interface Queries {
  readonly prepare: (sql: string) => {
    readonly get: (...values: (string | number)[]) => unknown;
    readonly all: (...values: (string | number)[]) => unknown[];
    readonly iterate: (...values: (string | number)[]) => IterableIterator<unknown>;
  };
}

/** A score in the gradebook, by the attempt that brought it. */
export interface GradebookCell {
  readonly location: string;
  readonly member: string;
  readonly sequence: number;
}

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

/** What was submitted, and the gradebook that came of it, as they lie in the store. */
export class StoredAttempts {
  readonly #database: Queries;

  constructor(database: Queries) {
    this.#database = database;
  }

  /** The LMS gradebook: the latest accepted score of each student at each location. */
  gradebook<Payload>(): { location: string; member: string; payload: Payload }[] {
    const cells = this.#database
      .prepare(
        `SELECT location, member, payload, max(submitted) FROM attempts
         WHERE payload <> '' GROUP BY location, member`,
      )
      .all() as StoredAttempt[];
    return cells.map(({ location, member, payload }) => {
      return { location, member, payload: JSON.parse(payload) as Payload };
    });
  }

  /** The same cells without what is in them, by location and member: the key names the attempt. */
  gradebookCells(): GradebookCell[] {
    return this.#database
      .prepare(
        `SELECT location, member, sequence, max(submitted) FROM attempts
         WHERE payload <> '' GROUP BY location, member`,
      )
      .all() as GradebookCell[];
  }

  /** What the LMS was sent with an attempt, by its sequence number. */
  payload<Payload>(sequence: number): Payload {
    const { payload } = this.#database
      .prepare('SELECT payload FROM attempts WHERE sequence = ?')
      .get(sequence) as { payload: string };
    return JSON.parse(payload) as Payload;
  }

  /** All attempts, whatever came of them. */
  count(): number {
    return this.#count('');
  }

  /** Attempts that the LMS did not take. */
  failedCount(): number {
    return this.#count("WHERE payload = ''");
  }

  #count(where: string): number {
    const found = this.#database.prepare(`SELECT count(*) AS count FROM attempts ${where}`).get();
    return (found as { count: number }).count;
  }

  /** Attempts from the latest on, all of them or so many after the first few. */
  *backwards<T>(count = -1, after = 0): Generator<T> {
    const rows = this.#database
      .prepare('SELECT json FROM attempts ORDER BY sequence DESC LIMIT ? OFFSET ?')
      .iterate(count, after) as IterableIterator<JsonRow>;
    for (const { json } of rows) yield JSON.parse(json) as T;
  }

  /** The same of a location, of any where it is ''; as text, since parsing takes longer than reading. */
  *texts(location: string): Generator<{ member: string; json: string }> {
    yield* this.#database
      .prepare("SELECT member, json FROM attempts WHERE ? IN ('', location) ORDER BY sequence DESC")
      .iterate(location) as IterableIterator<{ member: string; json: string }>;
  }

  /** Every attempt, in the order of recording. */
  *all<T>(): Generator<T> {
    const rows = this.#database
      .prepare('SELECT json FROM attempts ORDER BY sequence')
      .iterate() as IterableIterator<JsonRow>;
    for (const { json } of rows) yield JSON.parse(json) as T;
  }

  /** When the latest attempt was submitted, in ms since the epoch; 0 if there is none. */
  lastSubmitted(): number {
    const { last } = this.#database
      .prepare('SELECT max(submitted) AS last FROM attempts')
      .get() as { last: number | null };
    return last ?? 0;
  }

  /** The sequence number of the latest attempt; 0 if there is none. */
  lastSequence(): number {
    const { last } = this.#database.prepare('SELECT max(sequence) AS last FROM attempts').get() as {
      last: number | null;
    };
    return last ?? 0;
  }

  /** Up to `count` attempts after this sequence number, in the order of recording. */
  after(sequence: number, count: number): StoredAttempt[] {
    return this.#database
      .prepare('SELECT * FROM attempts WHERE sequence > ? ORDER BY sequence LIMIT ?')
      .all(sequence, count) as StoredAttempt[];
  }
}

interface JsonRow {
  readonly json: string;
}
