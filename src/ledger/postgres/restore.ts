import { createHash } from 'node:crypto';
import type { Connection } from './connection.ts';
import { Targets } from './targets.ts';
import { attemptKey, type MadeAttempt, type NewOutcome, outcomeColumns } from './write-sql.ts';

/**
 * Keeps an answer whose attempt is not in the ledger any more: a standby took over that did not have
 * it yet. The attempt is made again, under a number of its own; where that was done before, nothing
 * happens.
 */
export async function restoreAttempt(
  connection: Connection,
  made: MadeAttempt,
  { attempt, outcome }: NewOutcome,
): Promise<void> {
  const { intent, worker } = made;
  const { run = null, line = null, member, credential, body } = intent;
  // What is remembered of targets may be gone too.
  const target = await new Targets(connection).idOf(intent);
  const token = made.token ?? tokenOf(JSON.stringify([attempt, attemptKey(made)]));
  const values = { target, member, credential, body, run, line, token, pass: worker?.pass ?? null };
  await connection.query(RESTORE, { ...values, ...outcomeColumns(outcome) });
}

/** The same for the same attempt, so that it is restored once. */
function tokenOf(key: string): string {
  const digits = createHash('sha256').update(key).digest('hex');
  return `${digits.slice(0, 12)}8${digits.slice(13, 16)}8${digits.slice(17, 32)}`;
}

/** A row that is gone as well cannot be named; its attempt is then one of no run. */
const RESTORE = `
  WITH made AS (
    INSERT INTO lectern.attempts (target, member, credential, body, run, line, try, token, pass)
    SELECT :target, :member, :credential, :body, row.run, row.line, CASE WHEN row.run IS NOT NULL THEN coalesce((
        SELECT max(try) + 1 FROM lectern.attempts
        WHERE attempts.run = row.run AND attempts.line = row.line), 0) END,
      :token::uuid, :pass::int
    FROM (SELECT) AS one LEFT JOIN lectern.run_rows AS row
      ON row.run = :run::bigint AND row.line = :line::bigint
    ON CONFLICT (token) DO NOTHING
    RETURNING id
  )
  INSERT INTO lectern.outcomes (attempt, state, http, code, reason, text, bytes)
  SELECT id, :state, :http::int, :code, :reason, :text, :bytes::bytea FROM made`;
