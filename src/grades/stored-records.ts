import type { PlannedRecord } from '../ledger/ledger.ts';
import { paginate } from '../ledger/pages.ts';
import { type Change, CHANGES, type PlannedChange } from './plan-sample.ts';
import { temporaryDatabase } from './temporary.ts';

/** A record with the last recorded score, if the ledger has one, and what it changes of it. */
export interface StoredRecord extends PlannedRecord {
  readonly before?: number;
  readonly change?: Change;
}

type GivenRecord = PlannedRecord & Partial<Pick<PlannedChange, 'before' | 'change'>>;

const PAGE = 1000;

/** Records in their order, in a temporary database: there may be a million. */
export class StoredRecords {
  /** Each page is JSON: a million rows would take longer to write and to read. */
  readonly #database = temporaryDatabase(
    'CREATE TABLE pages (records TEXT)',
    'the records of the file cannot be kept',
  );

  add(records: readonly GivenRecord[]): void {
    const stored = records.map(({ line, member, body, before, change }) => {
      return { line, member, body, before: before?.score, change };
    });
    this.#database.write('INSERT INTO pages (records) VALUES (?)', [JSON.stringify(stored)]);
  }

  *[Symbol.iterator](): Generator<readonly StoredRecord[]> {
    const pages = 'SELECT records AS json FROM pages ORDER BY rowid';
    for (const { json } of this.#database.each<Json>(pages)) yield JSON.parse(json);
  }

  /** The last record of each member. */
  last(): AsyncGenerator<readonly StoredRecord[]> {
    return this.#select(LAST);
  }

  /** First those that lower a score, then the rest by what they change. */
  byChange(): AsyncGenerator<readonly StoredRecord[]> {
    return this.#select(BY_CHANGE);
  }

  async *#select(sql: string): AsyncGenerator<readonly StoredRecord[]> {
    for await (const page of paginate(this.#database.each<Json>(sql), PAGE)) {
      yield page.map(({ json }) => JSON.parse(json) as StoredRecord);
    }
  }

  close(): void {
    this.#database.close();
  }
}

interface Json {
  readonly json: string;
}

/** A page has fewer records than this. */
const PLACE = 'pages.rowid * (1 << 24) + key';

/** With a single max(), SQLite takes the other columns from the row that has the maximum. */
const LAST = `SELECT max(${PLACE}) AS place, value AS json
  FROM pages, json_each(records) GROUP BY value ->> 'member' ORDER BY place`;

const CHANGE = CHANGES.map((change, place) => `WHEN '${change}' THEN ${place}`).join(' ');

const BY_CHANGE = `SELECT value AS json FROM pages, json_each(records)
  ORDER BY CASE value ->> 'change' ${CHANGE} END, ${PLACE}`;
