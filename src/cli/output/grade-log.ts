import type { GradeBody } from '../../contract/index.ts';
import type { AttemptRecord } from '../../ledger/ledger.ts';
import { stateCell, timeCell } from './cells.ts';
import { attemptJson, outcomeFields } from './grade-run.ts';
import type { Table } from './table.ts';

/** Attempts, one per line; `now` in ms since the epoch. */
export function logTable(attempts: readonly AttemptRecord[], now: number): Table {
  return {
    columns: [
      { name: 'attempt', numeric: true, whole: true },
      { name: 'time', drop: 4 },
      { name: 'member', whole: true },
      { name: 'score', numeric: true },
      { name: 'outcome', whole: true },
      { name: 'http', numeric: true, drop: 2 },
      { name: 'run', numeric: true, drop: 3 },
      { name: 'line', numeric: true, drop: 1 },
      'error',
    ],
    rows: attempts.map(({ id, time, member, body, state, outcome, run, line }) => {
      const { http, error, response } = outcomeFields(outcome);
      const { score } = JSON.parse(body) as GradeBody;
      const why = [error, response].filter((each) => each !== null).join('; ');
      return [id, timeCell(time, now), member, score, stateCell(state), http, run, line, why];
    }),
  };
}

/**
 * One line of JSON an attempt; what was sent and what the service recorded stand in it whole. Of an
 * attempt in doubt `answer` is what came back as it came, where anything did.
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
