import { createHash } from 'node:crypto';
import { fillMember } from '../../../contract/index.ts';
import { TargetIds } from '../../address.ts';
import { columnsOf, select } from '../../columns.ts';
import type { RunTarget } from '../../ledger.ts';
import {
  givenRows,
  jsonRows,
  SHARED_ATTEMPT,
  SHARED_OUTCOME,
  sharedOutcomeToColumns,
} from '../columns.ts';
import type { Connection, RepeatedStatement, Values } from '../connection.ts';
import type { AttemptKey, MadeAttempt, NewOutcome } from '../outbox/outbox.ts';

/** An intent to be written. */
export interface NewAttempt extends MadeAttempt {
  readonly target: number;
}

export function attemptKey({ intent, worker, token }: MadeAttempt): AttemptKey {
  const { run = null, line = null, tries = null } = intent;
  return { token, run, line, worker: worker?.id ?? null, try: tries };
}

/** A row of the run; undefined for an attempt of no run. */
export function recordKey(
  run: number | null | undefined,
  line: number | null | undefined,
): string | undefined {
  return run === null || run === undefined ? undefined : `${run}:${line}`;
}

/** A row of the result: an attempt with its `answerKey`, or an attempt whose outcome was stored. */
export interface Inserted {
  readonly id: number;
  readonly key: string | null;
}

/** The same as `keyText`. */
const KEY_TEXT = `coalesce(token::text, concat_ws(':', run, line, worker, try))`;

function keyText({ token, run, line, worker, try: tries }: AttemptKey): string {
  return token ?? [run, line, worker, tries].filter((each) => each !== null).join(':');
}

/** The number of the next attempt for a row. */
export const nextTry = (row: string): string => `coalesce((
  SELECT max(earlier.try) + 1 FROM lectern.attempts AS earlier
  WHERE earlier.run = ${row}.run AND earlier.line = ${row}.line), 0)`;

/** All waiting intents and outcomes, in one statement. */
const WRITE_TEXT = `
  WITH made AS (
    INSERT INTO lectern.attempts ${select({
      ...columnsOf('given', SHARED_ATTEMPT),
      try: `CASE WHEN given.run IS NOT NULL THEN coalesce(given.try, ${nextTry('given')}) END`,
    })}
    FROM ${givenRows(':intents', SHARED_ATTEMPT)}
    WHERE given.run IS NULL OR (
      SELECT true FROM lectern.run_rows AS row WHERE row.run = given.run AND row.line = given.line)
    ON CONFLICT DO NOTHING
    RETURNING id, token, run, line
  ), kept AS (
    INSERT INTO lectern.outcomes ${select(columnsOf('given', { attempt: 'bigint', ...SHARED_OUTCOME }))}
    FROM ${givenRows(':outcomes', { attempt: 'bigint', ...SHARED_OUTCOME, key: 'text' })}
    WHERE (SELECT true FROM lectern.attempts
      WHERE id = given.attempt AND (given.key IS NULL OR given.key = ${KEY_TEXT}))
    ON CONFLICT DO NOTHING
    RETURNING attempt
  )
  SELECT id, coalesce(token::text, concat_ws(':', run, line)) AS key FROM made
  UNION ALL SELECT attempt, NULL FROM kept`;

export const WRITE: RepeatedStatement = { name: 'lectern_write', text: WRITE_TEXT };

export function writeParameters(
  intents: readonly NewAttempt[],
  outcomes: readonly NewOutcome[],
): Values {
  return {
    intents: jsonRows(intents.map(attemptRow)),
    outcomes: jsonRows(outcomes.map(outcomeRow)),
  };
}

/** An attempt as a row of JSON. */
function attemptRow({ intent, target, token, worker }: NewAttempt) {
  const { member, credential, body, run, line, tries } = intent;
  const made = { target, member, credential, body, run, line, try: tries, token };
  return { ...made, pass: worker?.pass, worker: worker?.id };
}

function outcomeRow({ attempt, outcome, made }: NewOutcome) {
  return { attempt, ...sharedOutcomeToColumns(outcome), key: made && keyText(attemptKey(made)) };
}

const IS_OWN = `CASE WHEN :token::uuid IS NOT NULL THEN token = :token
    ELSE run = :run AND line = :line AND try = :try AND worker = :worker END`;

/**
 * Why an intent was not stored: `own` is its number if it was stored before, `has` whether the run
 * has the row.
 */
export const FIND_INTENT = `
  SELECT (SELECT id FROM lectern.attempts WHERE ${IS_OWN}) AS own,
    EXISTS (SELECT FROM lectern.run_rows WHERE run = :run::bigint AND line = :line::bigint) AS has`;

/** Why an outcome was not stored: whether the attempt exists, under its number. */
export const FIND_ATTEMPT = `
  SELECT EXISTS (SELECT FROM lectern.attempts
    WHERE id = :attempt AND (:key::text IS NULL OR :key = ${KEY_TEXT})) AS found`;

export function findAttemptParameters({ attempt, made }: NewOutcome): Values {
  return { attempt, key: made ? keyText(attemptKey(made)) : null };
}

export const WITHDRAW = `
  INSERT INTO lectern.outcomes (attempt, state, reason)
  SELECT id, 'not_sent', :reason FROM lectern.attempts WHERE ${IS_OWN}
  ON CONFLICT DO NOTHING`;

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
  const target = await postgresTargets(connection).idOf(made.intent);
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

/** The ids of grade addresses, each stored once for all members. */
export type PostgresTargets = TargetIds<Promise<number>>;

export function postgresTargets(connection: Pick<Connection, 'query'>): PostgresTargets {
  const targets: PostgresTargets = new TargetIds(async (target) => {
    try {
      const values = { ...target, sha256: digestOf(target.url) };
      const [row] = await connection.query<{ id: number }>(INSERT_TARGET, values);
      return row?.id ?? 0;
    } catch (error) {
      targets.forget();
      throw error;
    }
  });
  return targets;
}

const INSERT_TARGET = `
  INSERT INTO lectern.targets AS known (sha256, url, location, context)
  VALUES (:sha256, :url, :location, :context)
  ON CONFLICT (sha256) DO UPDATE SET
    location = coalesce(known.location, excluded.location),
    context = coalesce(known.context, excluded.context)
  RETURNING id`;

/** An arbitrary member: addresses are stored with a placeholder in its place. */
const MEMBER = 'member';

/** The address of a run, in the form that its attempts have. */
export function targetAddress({ url, location, context }: RunTarget) {
  return { url: fillMember(url, MEMBER), member: MEMBER, location, context };
}

/** The digest that identifies a target, of its address with the placeholder. */
export function digestOf(markedUrl: string): string {
  return createHash('sha256').update(markedUrl).digest('hex');
}
