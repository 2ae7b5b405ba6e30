import type { GradeLedger, NewRun, PlannedRecord } from '../ledger/ledger.ts';
import { Members } from './members.ts';
import { type ReadingOptions, type RecordBatch, checkEach } from './checked-records.ts';

const BATCH_ROWS = 2000;

/**
 * Reads records and keeps the last one of each member. Which one that is, is known only at the end of
 * the file, and standard input cannot be read twice, so they are stored in a draft of the ledger.
 */
export async function* keepLastPerMember(
  ledger: GradeLedger,
  run: NewRun,
  chunks: AsyncIterable<Uint8Array>,
  options: ReadingOptions,
): AsyncGenerator<RecordBatch> {
  const members = new Members();
  const draft = await ledger.createRun(run);
  try {
    for await (const { rows, ...rest } of checkEach(chunks, options, members)) {
      await draft.addRows(rows);
      yield { ...rest, rows: [] };
    }
    const replacedLines = members.replaced();
    let next = replacedLines.next();
    let rows: PlannedRecord[] = [];
    let replaced = 0;
    for await (const { line, member, body } of ledger.rows(draft.id)) {
      // A replaced record that is invalid is not in the draft.
      while (!next.done && next.value < line) next = replacedLines.next();
      if (next.done || next.value !== line) rows.push({ line, member, body });
      else replaced += 1;
      if (rows.length < BATCH_ROWS) continue;
      yield { rows, findings: [], read: 0 };
      rows = [];
    }
    yield { rows, replaced, findings: [], read: 0 };
  } finally {
    members.close();
    await draft.discard();
  }
}
