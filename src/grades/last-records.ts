import { checkEach, gradeOf, type ReadingOptions, type RecordBatch } from './checked-records.ts';
import { MaxScores } from './max-scores.ts';
import { StoredRecords } from './stored-records.ts';

/**
 * Reads and checks a file as `checkRecords` does, and keeps the last record of each member. Which one
 * that is, is known only at the end of the file, and standard input cannot be read twice.
 */
export async function* lastRecords(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<RecordBatch> {
  const records = new StoredRecords();
  try {
    let replaced = 0;
    const maxScores = new MaxScores();
    for await (const { rows, ...rest } of checkEach(chunks, options)) {
      records.add(rows);
      replaced += rows.length;
      yield { ...rest, rows: [] };
    }
    for await (const rows of records.last()) {
      replaced -= rows.length;
      for (const row of rows) maxScores.add(gradeOf(row).max_score);
      yield { rows, findings: [], read: 0 };
    }
    const mixed = maxScores.finding(options.strict);
    yield { rows: [], replaced, findings: mixed ? [mixed] : [], read: 0, maxScores };
  } finally {
    records.close();
  }
}
