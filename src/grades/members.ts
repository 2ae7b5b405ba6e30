import { temporaryDatabase } from './temporary.ts';

/** A member with several records. */
export interface RepeatedMember {
  readonly member: string;
  /** The lines of the records, in their order. */
  readonly lines: readonly number[];
  /** What some of the records have in the columns that are not read. */
  readonly others: readonly (readonly string[])[];
}

/** Further members with several records are not found. */
const MOST_MEMBERS = 100_000;
/** More records of a member are not compared with each other. */
const MOST_COMPARED = 100;

/** Members that are stored together. */
const BATCH = 5000;

/**
 * Finds the members that occur more than once in a file: by a hash of each, since a Map of a million
 * members takes 150 MB. Their names are in a temporary database, and are read again if two hashes are
 * the same.
 */
export class Members {
  readonly #database = temporaryDatabase(
    'CREATE TABLE pages (page TEXT)',
    'the members of the file cannot be compared',
  );
  #hashes = new Float64Array(BATCH);
  #count = 0;
  #page: Page = newPage();

  /** @param others the cells of the columns that are not read */
  add(member: string, line: number, others?: readonly string[]): void {
    if (this.#count === this.#hashes.length) {
      const longer = new Float64Array(2 * this.#count);
      longer.set(this.#hashes);
      this.#hashes = longer;
    }
    this.#hashes[this.#count] = hashOf(member);
    this.#count += 1;
    const { members, lines, others: cells } = this.#page;
    // Nearly all files have either such cells or none.
    if (others !== undefined) cells[members.length] = others;
    lines.push(line);
    if (members.push(member) === BATCH) this.#store();
  }

  /** The members with several records, in the order of the first ones; call it once, at the end. */
  *repeated(): Generator<RepeatedMember> {
    const hashes = this.#hashes.subarray(0, this.#count).sort();
    const twice = new Set(hashes.filter((hash, at) => hash === hashes[at - 1]));
    if (twice.size === 0) return;
    this.#store();
    const found = new Map<string, { lines: number[]; others: (readonly string[])[] }>();
    for (const { page } of this.#database.each<{ page: string }>(
      'SELECT page FROM pages ORDER BY rowid',
    )) {
      const { members, lines, others } = JSON.parse(page) as Page;
      for (const [at, member] of members.entries()) {
        if (!twice.has(hashOf(member))) continue;
        const records = found.get(member) ?? { lines: [], others: [] };
        records.lines.push(lines[at] as number);
        const cells = others[at];
        if (cells && records.others.length < MOST_COMPARED) records.others.push(cells);
        if (found.size < MOST_MEMBERS) found.set(member, records);
      }
    }
    for (const [member, records] of found) {
      if (records.lines.length > 1) yield { member, ...records };
    }
  }

  close(): void {
    this.#database.close();
  }

  #store(): void {
    this.#database.write('INSERT INTO pages (page) VALUES (?)', [JSON.stringify(this.#page)]);
    this.#page = newPage();
  }
}

interface Page {
  readonly members: string[];
  readonly lines: number[];
  /** By the place of the member; null, or beyond the end, for a record without such cells. */
  readonly others: (readonly string[] | null)[];
}

function newPage(): Page {
  return { members: [], lines: [], others: [] };
}

/** 53 bits: that two members of a file have the same hash by chance is rare, and does no harm. */
function hashOf(text: string): number {
  let [high, low] = [1, 2];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x01000193);
    low = Math.imul(low ^ code, 0x5bd1e995);
  }
  return (high >>> 0) * 2 ** 21 + (low >>> 11);
}
