import type { Ledger, NewRun, RunRow } from '../ledger/ledger.ts';
import { Members } from './members.ts';
import { type ReadingOptions, type RecordBatch, checkRecords } from './checked-records.ts';

const BATCH_ROWS = 2000;

/**
 * Reads rows and keeps the last one of each member. Which one that is, is known at the end of the
 * file, so all of them wait in a draft of the ledger; standard input cannot be read twice.
 */
export async function* keepLastPerMember(
  ledger: Ledger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<RecordBatch> {
  const members = new Members();
  const draft = await ledger.createRun(run);
  try {
    for await (const { rows, ...rest } of checkRecords(chunks, options, members)) {
      await draft.addRows(rows);
      yield { ...rest, rows: [] };
    }
    let rows: RunRow[] = [];
    let replaced = 0;
    for await (const { line, member, body } of ledger.rows(draft.id)) {
      if (members.isLast(member, line)) rows.push({ line, member, body });
      else replaced += 1;
      if (rows.length < BATCH_ROWS) continue;
      yield { rows, findings: [], read: 0 };
      rows = [];
    }
    yield { rows, replaced, findings: [], read: 0 };
  } finally {
    await draft.discard();
  }
}
