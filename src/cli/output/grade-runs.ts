import type { RunRecord } from '../../ledger/ledger.ts';
import { summaryJson } from './grade-run.ts';
import type { Table } from './table.ts';
import { timeText } from './units.ts';

/** Runs, a line each. */
export function runsTable(runs: readonly RunRecord[]): Table {
  return {
    columns: [
      'run',
      'time',
      'rows',
      'success',
      'failed',
      'refused',
      'in doubt',
      'not sent',
      'source',
      'course',
    ],
    numeric: [0, 2, 3, 4, 5, 6, 7],
    rows: runs.map(({ id, time, source, target, summary }) => [
      id,
      timeText(time),
      summary.rows,
      summary.success,
      summary.failed,
      summary.refused,
      summary.inDoubt,
      summary.notSent,
      source,
      target.context,
    ]),
  };
}

/** One run in JSON; its address without the query, which may be signed. */
export function runsJson({ id, time, source, credential, target, digest, summary }: RunRecord) {
  const { origin, context = null, location = null } = target;
  return {
    ...summaryJson(id, digest, summary),
    time: new Date(time).toISOString(),
    source,
    credential,
    target: { origin, course: context, location },
  };
}
