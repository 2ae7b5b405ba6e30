import type { GradeBody } from '../../contract/index.ts';
import type { AttemptRecord } from '../../ledger/ledger.ts';
import { attemptJson, outcomeFields } from './grade-run.ts';
import type { Table } from './table.ts';
import { timeText } from './units.ts';

/** Attempts, a line each. */
export function logTable(attempts: readonly AttemptRecord[]): Table {
  return {
    columns: ['attempt', 'time', 'member', 'score', 'outcome', 'http', 'run', 'line', 'why'],
    numeric: [0, 3, 5, 6, 7],
    rows: attempts.map(({ id, time, member, body, state, outcome, run, line }) => {
      const { http, error } = outcomeFields(outcome);
      const { score } = JSON.parse(body) as GradeBody;
      return [id, timeText(time), member, score, state, http, run, line, error];
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
  return `${head},"grade":${body},"attempt":${attemptJson(kept)},"error":${JSON.stringify(error)}}\n`;
}
