import type { GradeBody } from '../../contract/index.ts';
import type { AttemptRecord } from '../../ledger/ledger.ts';
import { stateCell, timeCell } from './cells.ts';
import { attemptJson, outcomeFields } from './grade-run.ts';
import { listTable, type Table } from './table.ts';

/** Attempts, one per line; `now` in ms since the epoch. */
export function logTable(attempts: readonly AttemptRecord[], now: number): Table {
  const gradeOf = ({ body }: AttemptRecord): GradeBody => JSON.parse(body) as GradeBody;
  return listTable(attempts, [
    { name: 'attempt', numeric: true, whole: true, cell: ({ id }) => id },
    { name: 'time', drop: 4, cell: ({ time }) => timeCell(time, now) },
    { name: 'member', whole: true, cell: ({ member }) => member },
    { name: 'score', numeric: true, cell: (each) => gradeOf(each).score },
    { name: 'outcome', whole: true, cell: ({ state }) => stateCell(state) },
    { name: 'http', numeric: true, drop: 2, cell: ({ outcome }) => outcomeFields(outcome).http },
    { name: 'run', numeric: true, drop: 3, cell: ({ run }) => run },
    { name: 'line', numeric: true, drop: 1, cell: ({ line }) => line },
    {
      name: 'error',
      cell: ({ outcome }) => {
        const { error, response } = outcomeFields(outcome);
        return [error, response].filter((each) => each !== null).join('; ');
      },
    },
  ]);
}

/**
 * A line of JSON for an attempt, with the complete request and the service's record. For an attempt
 * in doubt, `answer` is the unusable response, if there was one.
 */
export function logLine(attempt: AttemptRecord): string {
  const { id, time, member, credential, url, run = null, line = null } = attempt;
  const { location = null, context = null, body, outcome: kept } = attempt;
  const { outcome, status, http, error } = outcomeFields(kept);
  const answer = kept?.kind === 'in_doubt' ? kept.text || null : null;
  const head = JSON.stringify({
    id,
    time: new Date(time).toISOString(),
    member,
    run,
    line,
    outcome,
    status,
    http,
    credential,
    url,
    location,
    context,
    answer,
  }).slice(0, -1);
  const who = attempt.worker === undefined ? '' : `,"worker":${attempt.worker}`;
  return `${head},"grade":${body},"attempt":${attemptJson(kept)},"error":${JSON.stringify(error)}${who}}\n`;
}
