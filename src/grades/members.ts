import { temporaryDatabase } from './temporary.ts';

/** A member with several records. */
export interface RepeatedMember {
  readonly member: string;
  /** The lines of the records, in their order. */
  readonly lines: readonly number[];
  /** What some of the records have in the columns that are not read. */
  readonly others: readonly (readonly string[])[];
}

/** More records of a member are not compared with each other. */
const MOST_COMPARED = 100;

/** Members that are stored by one statement. */
const BATCH = 5000;

/**
 * Finds the members that occur more than once in a file, in a temporary SQLite database: a Map of a
 * million members takes 150 MB.
 */
export class Members {
  readonly #database = temporaryDatabase(TABLES, 'the members of the file cannot be compared');
  #waiting: string[] = [];
  /** JSON, or null for a record without such cells. */
  #others: (string | null)[] = [];
  /** By the number of the record. */
  readonly #lines: number[] = [];

  /** @param others the cells of the columns that are not read */
  add(member: string, line: number, others?: readonly string[]): void {
    this.#waiting.push(member);
    this.#lines.push(line);
    // Nearly all files have either such columns or none.
    if (others !== undefined) this.#others[this.#waiting.length - 1] = JSON.stringify(others);
    if (this.#waiting.length === BATCH) this.#store();
  }

  /** The members with several records, in the order of the first ones; call it once, at the end. */
  *repeated(): Generator<RepeatedMember> {
    if (this.#lines.length === 0) return;
    this.#store();
    if (this.#database.write(TWICE).changes === 0) return;
    let current: { member: string; lines: number[]; others: string[][] } | undefined;
    for (const { member, record, cells } of this.#database.each<MemberRecord>(REPEATED)) {
      if (current?.member !== member) {
        if (current) yield current;
        current = { member, lines: [], others: [] };
      }
      current.lines.push(this.#lineOf(record));
      const isCompared = cells !== null && current.others.length < MOST_COMPARED;
      if (isCompared) current.others.push(JSON.parse(cells) as string[]);
    }
    if (current) yield current;
  }

  close(): void {
    this.#database.close();
  }

  #lineOf(record: number): number {
    return this.#lines[record - 1] as number;
  }

  #store(): void {
    this.#database.write(INSERT, [JSON.stringify(this.#waiting)]);
    if (this.#others.length > 0) {
      const before = this.#lines.length - this.#waiting.length;
      this.#database.write(INSERT_OTHERS, [before, JSON.stringify(this.#others)]);
    }
    this.#waiting = [];
    this.#others = [];
  }
}

interface MemberRecord {
  readonly member: string;
  readonly record: number;
  readonly cells: string | null;
}

const TABLES = `
  CREATE TABLE members (record INTEGER PRIMARY KEY, member TEXT);
  CREATE TABLE others (record INTEGER PRIMARY KEY, cells TEXT);
  CREATE TABLE twice (member TEXT PRIMARY KEY) WITHOUT ROWID`;

/** SQLite reads the array three times as fast as it takes parameters. */
const INSERT = 'INSERT INTO members (member) SELECT value FROM json_each(?)';

const INSERT_OTHERS = `
  INSERT INTO others (record, cells)
  SELECT ? + key + 1, value FROM json_each(?) WHERE value IS NOT NULL`;

const TWICE = 'INSERT INTO twice SELECT member FROM members GROUP BY member HAVING count(*) > 1';

const REPEATED = `
  SELECT member, record, cells, min(record) OVER (PARTITION BY member) AS first
  FROM members CROSS JOIN twice USING (member) LEFT JOIN others USING (record)
  ORDER BY first, record`;
