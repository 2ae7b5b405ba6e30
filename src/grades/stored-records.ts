import type { PlannedRecord } from '../ledger/ledger.ts';
import { inPages, temporaryDatabase } from './temporary.ts';

const PAGE = 2000;

/** Records in their order, in a temporary database: there may be a million. */
export class StoredRecords {
  readonly #database = temporaryDatabase(
    'CREATE TABLE records (line INTEGER, member TEXT, body TEXT)',
    'the records of the file cannot be kept',
  );

  add(records: readonly PlannedRecord[]): void {
    const values = records.map(({ line, member, body }) => [line, member, body]);
    this.#database.write(INSERT, [JSON.stringify(values)]);
  }

  [Symbol.iterator](): Iterator<readonly PlannedRecord[]> {
    return this.#pages('SELECT * FROM records ORDER BY rowid');
  }

  /** The last record of each member. */
  last(): Iterable<readonly PlannedRecord[]> {
    return this.#pages(LAST);
  }

  #pages(sql: string): Generator<readonly PlannedRecord[]> {
    return inPages(this.#database.each<PlannedRecord>(sql), PAGE);
  }

  close(): void {
    this.#database.close();
  }
}

const INSERT = `INSERT INTO records
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;

const LAST = `SELECT * FROM records
  WHERE rowid IN (SELECT max(rowid) FROM records GROUP BY member) ORDER BY rowid`;
