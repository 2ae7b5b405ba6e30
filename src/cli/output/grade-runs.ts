import type { RunRecord, WorkerRecord } from '../../ledger/ledger.ts';
import { countCell, timeCell } from './cells.ts';
import { summaryJson } from './grade-run.ts';
import type { Table } from './table.ts';

/** Runs, a line each; `now` in ms since the epoch; `workers` of a shared ledger. */
export function runsTable(
  runs: readonly RunRecord[],
  now: number,
  workers?: readonly WorkerRecord[],
): Table {
  return {
    columns: [
      { name: 'run', numeric: true, whole: true },
      { name: 'time', drop: 5 },
      { name: 'rows', numeric: true },
      { name: 'success', numeric: true, drop: 6 },
      { name: 'failed', numeric: true, drop: 7 },
      { name: 'refused', numeric: true, drop: 3 },
      { name: 'in doubt', numeric: true, drop: 8 },
      { name: 'not sent', numeric: true, drop: 4 },
      { name: 'source', drop: 2 },
      { name: 'course', drop: 1 },
      ...(workers ? ['workers'] : []),
    ],
    rows: runs.map(({ id, time, source, target, summary }) => [
      id,
      timeCell(time, now),
      summary.rows,
      countCell(summary.success, 'success'),
      countCell(summary.failed, 'failed'),
      countCell(summary.refused, 'refused'),
      countCell(summary.inDoubt, 'in doubt'),
      countCell(summary.notSent, 'in doubt'),
      source,
      target.context,
      ...(workers ? [whoText(ofRun(workers, id).filter(({ isAlive }) => isAlive))] : []),
    ]),
  };
}

function ofRun(workers: readonly WorkerRecord[], id: number): WorkerRecord[] {
  return workers.filter(({ run }) => run === id);
}

/** `ci@runner-2, ann@laptop` */
export function whoText(workers: readonly WorkerRecord[]): string {
  return workers.map(({ who, host }) => `${who}@${host}`).join(', ');
}

/** One run in JSON; its address without the query, which may be signed. */
export function runsJson(record: RunRecord, workers?: readonly WorkerRecord[]) {
  const { id, time, source, credential, target, digest, summary } = record;
  const { origin, context = null, location = null } = target;
  return {
    ...summaryJson(id, digest, summary, workers && ofRun(workers, id)),
    time: new Date(time).toISOString(),
    source,
    credential,
    target: { origin, course: context, location },
  };
}
