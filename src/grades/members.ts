import { DatabaseSync } from '@photostructure/sqlite';
import { StateError } from '../errors.ts';

/** A record whose member an earlier record has. */
export interface RepeatedMember {
  readonly member: string;
  readonly line: number;
  /** The line of the member's first record. */
  readonly first: number;
}

/** Members that are stored by one statement. */
const BATCH = 5000;

/**
 * Finds the members that occur more than once in a file, in a temporary SQLite database: a Map of a
 * million members takes 150 MB.
 */
export class Members {
  #database: InstanceType<typeof DatabaseSync> | undefined;
  #waiting: string[] = [];
  /** By the number of the record. */
  readonly #lines: number[] = [];

  add(member: string, line: number): void {
    this.#waiting.push(member);
    this.#lines.push(line);
    if (this.#waiting.length === BATCH) this.#store();
  }

  /** The records with a member that an earlier one has, in their order; call it once, at the end. */
  *repeated(): Generator<RepeatedMember> {
    for (const { member, record, first } of this.#query(REPEATED)) {
      yield { member, line: this.#lineOf(record), first: this.#lineOf(first) };
    }
  }

  /** The lines of the records whose member a later one has, in their order; call it once, at the end. */
  *replaced(): Generator<number> {
    for (const { record } of this.#query(REPLACED)) yield this.#lineOf(record);
  }

  close(): void {
    this.#database?.close();
  }

  #lineOf(record: number): number {
    return this.#lines[record - 1] as number;
  }

  #store(): void {
    try {
      this.#opened().prepare(INSERT).run(JSON.stringify(this.#waiting));
    } catch (error) {
      throw noRoom(error);
    }
    this.#waiting = [];
  }

  *#query(sql: string): Iterable<MemberRecord> {
    if (this.#lines.length === 0) return;
    this.#store();
    try {
      const { changes } = this.#opened().prepare(TWICE).run();
      if (changes > 0) yield* this.#opened().prepare(sql).iterate() as Iterable<MemberRecord>;
    } catch (error) {
      throw noRoom(error);
    }
  }

  #opened(): InstanceType<typeof DatabaseSync> {
    return (this.#database ??= open());
  }
}

interface MemberRecord {
  readonly member: string;
  readonly record: number;
  readonly first: number;
}

/** In a file of its own, which is removed when it is closed. What fits into memory is never written. */
function open(): InstanceType<typeof DatabaseSync> {
  const database = new DatabaseSync('');
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  database.exec(`
    CREATE TABLE members (record INTEGER PRIMARY KEY, member TEXT);
    CREATE TABLE twice (member TEXT PRIMARY KEY) WITHOUT ROWID;
    BEGIN`);
  return database;
}

/** SQLite reads the array three times as fast as it takes parameters. */
const INSERT = 'INSERT INTO members (member) SELECT value FROM json_each(?)';

const TWICE = 'INSERT INTO twice SELECT member FROM members GROUP BY member HAVING count(*) > 1';

const FIRST_AND_LAST = `
  SELECT member, record, min(record) OVER own AS first, max(record) OVER own AS last
  FROM members CROSS JOIN twice USING (member) WINDOW own AS (PARTITION BY member)`;

const REPEATED = `SELECT * FROM (${FIRST_AND_LAST}) WHERE record <> first ORDER BY record`;

const REPLACED = `SELECT * FROM (${FIRST_AND_LAST}) WHERE record <> last ORDER BY record`;

function noRoom(cause: unknown): StateError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new StateError(
    `the members of the file cannot be compared: ${message}`,
    'free some space for temporary files, or set TMPDIR to another folder',
    { cause },
  );
}
