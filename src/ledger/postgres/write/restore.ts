import { createHash } from 'node:crypto';
import { columnsOf, select } from '../../columns.ts';
import {
  givenRows,
  jsonRows,
  SHARED_ATTEMPT,
  SHARED_OUTCOME,
  sharedOutcomeToColumns,
} from '../columns.ts';
import type { Connection } from '../connection.ts';
import type { MadeAttempt, NewOutcome } from '../outbox/outbox.ts';
import { PostgresTargets } from './targets.ts';
import { attemptKey, attemptRow, nextTry } from './write-sql.ts';

/**
 * Stores an answer whose attempt is missing because a standby took over without it. The attempt is
 * created again, with a new number, unless that was done before.
 */
export async function restoreAttempt(
  connection: Connection,
  made: MadeAttempt,
  { attempt, outcome }: NewOutcome,
): Promise<void> {
  // Cached targets may be missing too.
  const target = await new PostgresTargets(connection).idOf(made.intent);
  const token = made.token ?? tokenOf(JSON.stringify([attempt, attemptKey(made)]));
  await connection.query(RESTORE, {
    attempts: jsonRows([attemptRow({ ...made, target, token })]),
    outcomes: jsonRows([sharedOutcomeToColumns(outcome)]),
  });
}

/** Always the same for an attempt, so that it is restored once. */
function tokenOf(key: string): string {
  const digits = createHash('sha256').update(key).digest('hex');
  return `${digits.slice(0, 12)}8${digits.slice(13, 16)}8${digits.slice(17, 32)}`;
}

/** If its row is missing too, the attempt belongs to no run. */
const RESTORE = `
  WITH made AS (
    INSERT INTO lectern.attempts ${select({
      ...columnsOf('given', SHARED_ATTEMPT),
      run: 'row.run',
      line: 'row.line',
      try: `CASE WHEN row.run IS NOT NULL THEN ${nextTry('row')} END`,
      worker: 'NULL',
    })}
    FROM ${givenRows(':attempts', SHARED_ATTEMPT)} LEFT JOIN lectern.run_rows AS row
      ON row.run = given.run AND row.line = given.line
    ON CONFLICT (token) DO NOTHING
    RETURNING id
  )
  INSERT INTO lectern.outcomes ${select({ attempt: 'made.id', ...columnsOf('given', SHARED_OUTCOME) })}
  FROM made, ${givenRows(':outcomes', SHARED_OUTCOME)}`;
