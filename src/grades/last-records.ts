import type { PlannedRecord } from '../ledger/ledger.ts';
import { checkEach, type ReadingOptions, type RecordBatch } from './checked-records.ts';
import { temporaryDatabase } from './temporary.ts';

const BATCH_ROWS = 2000;

/**
 * Reads and checks a file as `checkRecords` does, and keeps the last record of each member. Which one
 * that is, is known only at the end of the file, and standard input cannot be read twice.
 */
export async function* lastRecords(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<RecordBatch> {
  const database = temporaryDatabase(
    'CREATE TABLE records (line INTEGER, member TEXT, body TEXT)',
    'the members of the file cannot be compared',
  );
  try {
    let replaced = 0;
    for await (const { rows: read, ...rest } of checkEach(chunks, options)) {
      const values = read.map(({ line, member, body }) => [line, member, body]);
      database.write(INSERT, [JSON.stringify(values)]);
      replaced += read.length;
      yield { ...rest, rows: [] };
    }
    let rows: PlannedRecord[] = [];
    for (const row of database.each<PlannedRecord>(LAST)) {
      rows.push(row);
      replaced -= 1;
      if (rows.length < BATCH_ROWS) continue;
      yield { rows, findings: [], read: 0 };
      rows = [];
    }
    yield { rows, replaced, findings: [], read: 0 };
  } finally {
    database.close();
  }
}

const INSERT = `INSERT INTO records
  SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)`;

const LAST = `SELECT * FROM records
  WHERE rowid IN (SELECT max(rowid) FROM records GROUP BY member) ORDER BY rowid`;
