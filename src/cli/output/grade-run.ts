import { flagWord } from '../../contract/words.ts';
import type {
  RecordState,
  RunSummary,
  RunTarget,
  WorkerRecord,
  RunRecord,
} from '../../ledger/ledger.ts';
import { countCell, stateCell, type Cell, type Table } from './table.ts';
import { jsonWithRaw } from './json-text.ts';
import { type ListColumns, tableOf } from './columns.ts';
import type { RecordColumns } from '../../grades/record-columns.ts';
import { courseOf, movedTo } from '../../grades/run-target.ts';
import { numberText } from './units.ts';

/** A line of JSON for a record. It contains the service's record unchanged, with exact numbers. */
export function rowLine(record: RecordColumns): string {
  return `${rowJson(record)}\n`;
}

/** The same without the line break. `grade` is the body that was to be sent. */
export function rowJson(record: RecordColumns, grade?: string): string {
  const { line, member, outcome, status, http, error, attemptJson, evidenceJson, source } = record;
  return jsonWithRaw(
    { run: source.run, line, member, outcome, status, http },
    { attempt: attemptJson, error: JSON.stringify(error), grade },
    { worker: source.worker, evidence: evidenceJson },
  );
}

/** The command that settles the doubts of a run. */
export function settleCommand(run: number): string {
  return `lectern grade settle ${run} EXPORT`;
}

/** The command that settles a grade of no run. */
export function settleOneCommand(member: string): string {
  return `lectern grade settle ${flagWord('--member', member)} --recorded --because TEXT`;
}

/** How to settle the doubts of the newest run with one. */
export function doubtHint(runs: readonly RunRecord[]): string | undefined {
  const doubted = runs.find(({ summary }) => summary.inDoubt > 0);
  if (!doubted) return undefined;
  const { id, summary } = doubted;
  return `run ${id} has ${numberText(summary.inDoubt)} in doubt; settle them by an export of the gradebook: ${settleCommand(id)}`;
}

/** The same for all attempts in doubt of a ledger; without a doubt in a run they belong to none. */
export function allDoubtsHint(runs: readonly RunRecord[]): string {
  const singles = `list those in doubt with: lectern grade log --status in_doubt; settle one with: ${settleOneCommand('ID')}`;
  return doubtHint(runs) ?? singles;
}

/** A row that would be sent: its current state, and the exact body. */
export function plannedRow({ line, member, state, body }: RecordState): string {
  return jsonWithRaw({ line, member, state }, { body });
}

export const PLANNED = {
  line: { numeric: true },
  member: { whole: true },
  state: { whole: true, cell: stateCell },
  body: {},
} satisfies ListColumns;

/** The summary in the last line of JSON; `workers` for a shared ledger. */
export function summaryJson<Run extends number | null>(
  run: Run,
  digest: string,
  summary: RunSummary,
  workers?: readonly WorkerRecord[],
) {
  const { rows, recorded, success, failed, refused, inDoubt, notSent, underWay = 0 } = summary;
  const counts = { rows, recorded, success, failed, refused };
  const all = { run, digest, ...counts, in_doubt: inDoubt, not_sent: notSent };
  return workers ? { ...all, under_way: underWay, workers: workers.map(workerJson) } : all;
}

/** The workers of a run, of a shared ledger. */
export const RUN_WORKERS = {
  worker: { type: 'count', whole: true },
  who: { type: 'id' },
  host: { type: 'text' },
  sent: { type: 'count' },
} as const satisfies ListColumns;

/** The workers of all runs. */
export const WORKERS = { run: { type: 'count' }, ...RUN_WORKERS } as const satisfies ListColumns;

export function workerJson({ worker, who, host, sent }: WorkerRecord) {
  return { worker, who, host, sent };
}

/** The number of grades by outcome; the last line is the total. */
export function summaryTable(summary: RunSummary): Table {
  const counts: (readonly [outcome: Cell, rows: Cell])[] = [
    ['recorded: success', countCell(summary.success, 'success')],
    ['recorded: failed', countCell(summary.failed, 'failed')],
    ['refused', countCell(summary.refused, 'refused')],
    [{ exact: 'in_doubt', short: 'in doubt' }, countCell(summary.inDoubt, 'in doubt')],
    [{ exact: 'not_sent', short: 'not sent' }, countCell(summary.notSent, 'in doubt')],
    [{ exact: 'under_way', short: 'under way' }, summary.underWay],
    ['all', summary.rows],
  ];
  const columns = [{ name: 'outcome' }, { name: 'rows', numeric: true }];
  return { columns, rows: counts.filter(([, rows]) => rows !== undefined) };
}

function countColumn(state: string, drop: number) {
  return { type: 'count', drop, cell: (count: number) => countCell(count, state) } as const;
}

/** How many records of a run have each outcome. */
export const RUN_COUNTS = {
  run: { type: 'count', describes: 'the number of the run', whole: true },
  digest: { type: 'text', describes: 'of the plan, for --expect-digest', isJsonOnly: true },
  rows: { type: 'count' },
  recorded: { type: 'count', isJsonOnly: true },
  success: countColumn('success', 6),
  failed: countColumn('failed', 7),
  refused: countColumn('refused', 3),
  in_doubt: countColumn('in doubt', 8),
  not_sent: countColumn('in doubt', 4),
  'under_way?': { type: 'count', describes: 'on a shared ledger', isJsonOnly: true },
} as const satisfies ListColumns;

type Target = ReturnType<typeof targetJson>;

const { run: RUN, ...COUNTS } = RUN_COUNTS;

/** The bulk runs. */
export const RUNS = {
  run: RUN,
  time: { type: 'instant', drop: 5 },
  ...COUNTS,
  source: { type: 'text', drop: 2 },
  credential: { type: 'text', choices: ['launch_token', 'api_key'], isJsonOnly: true },
  target: {
    schema: (s) => {
      const name = s.nullable(s.text);
      return s.object({ origin: s.text, course: name, location: name });
    },
    isJsonOnly: true,
  },
  course: { made: ({ target }: { target: Target }) => target.course, drop: 1 },
  location: { made: ({ target }: { target: Target }) => target.location, drop: 1 },
  'moved?': {
    schema: (s) =>
      s.described(
        s.object({ file: s.text, time: s.instant }),
        'to another machine, by ledger export',
      ),
    isJsonOnly: true,
  },
} as const satisfies ListColumns;

/** Those of a shared ledger, with the workers that send them now. */
export const SHARED_RUNS = {
  ...RUNS,
  workers: { made: ({ sentBy }: { sentBy?: string }) => sentBy },
} as const satisfies ListColumns;

/** Runs, a line each; `now` in ms since the epoch; `workers` of a shared ledger. */
export function runsTable(
  runs: readonly RunRecord[],
  now: number,
  workers?: readonly WorkerRecord[],
): Table {
  if (workers === undefined)
    return tableOf(
      RUNS,
      runs.map((run) => runsJson(run)),
      now,
    );
  const alive = workers.filter(({ isAlive }) => isAlive);
  const items = runs.map((run) => ({ ...runsJson(run), sentBy: whoText(ofRun(alive, run.id)) }));
  return tableOf(SHARED_RUNS, items, now);
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
  const moved = movedTo(record);
  return {
    ...summaryJson(id, digest, summary, workers && ofRun(workers, id)),
    time: new Date(time).toISOString(),
    source,
    credential,
    target: targetJson(target),
    ...(moved && { moved: { file: moved.file, time: new Date(moved.time).toISOString() } }),
  };
}

/** Where the grades of a run go. */
export function targetJson(target: RunTarget) {
  const { origin, location = null } = target;
  return { origin, course: courseOf(target) ?? null, location };
}
