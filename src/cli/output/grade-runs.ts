import type { RunRecord, WorkerRecord } from '../../ledger/ledger.ts';
import { countCell, timeCell } from './cells.ts';
import { summaryJson } from './grade-run.ts';
import { listTable, type Table } from './table.ts';

/** Runs, a line each; `now` in ms since the epoch; `workers` of a shared ledger. */
export function runsTable(
  runs: readonly RunRecord[],
  now: number,
  workers?: readonly WorkerRecord[],
): Table {
  return listTable(runs, [
    { name: 'run', numeric: true, whole: true, cell: ({ id }) => id },
    { name: 'time', drop: 5, cell: ({ time }) => timeCell(time, now) },
    { name: 'rows', numeric: true, cell: ({ summary }) => summary.rows },
    {
      name: 'success',
      numeric: true,
      drop: 6,
      cell: ({ summary }) => countCell(summary.success, 'success'),
    },
    {
      name: 'failed',
      numeric: true,
      drop: 7,
      cell: ({ summary }) => countCell(summary.failed, 'failed'),
    },
    {
      name: 'refused',
      numeric: true,
      drop: 3,
      cell: ({ summary }) => countCell(summary.refused, 'refused'),
    },
    {
      name: 'in doubt',
      numeric: true,
      drop: 8,
      cell: ({ summary }) => countCell(summary.inDoubt, 'in doubt'),
    },
    {
      name: 'not sent',
      numeric: true,
      drop: 4,
      cell: ({ summary }) => countCell(summary.notSent, 'in doubt'),
    },
    { name: 'source', drop: 2, cell: ({ source }) => source },
    { name: 'course', drop: 1, cell: ({ target }) => target.context },
    ...(workers
      ? [
          {
            name: 'workers',
            cell: ({ id }: RunRecord) =>
              whoText(ofRun(workers, id).filter(({ isAlive }) => isAlive)),
          },
        ]
      : []),
  ]);
}

function ofRun(workers: readonly WorkerRecord[], id: number): WorkerRecord[] {
  return workers.filter(({ run }) => run === id);
}

/** `ci@runner-2, ann@laptop` */
export function whoText(workers: readonly WorkerRecord[]): string {
  return workers.map(({ who, host }) => `${who}@${host}`).join(', ');
}

/** A run in JSON; its address without the query, which may contain a signature. */
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
