/** Stores attempts, and what is known of them: all that is written for each row that is sent. */
import { columnsOf, select, SETTLEMENT, settlementToColumns, withoutNul } from '../columns.ts';
import { LedgerError } from '../error.ts';
import type { GivenAttempt } from '../ledger.ts';
import type { PostgresTargets } from './targets.ts';
import { IS_HERE } from './claim/claim-sql.ts';
import {
  givenRows,
  jsonRows,
  nextTry,
  SHARED_ATTEMPT,
  SHARED_OUTCOME,
  toSharedOutcome,
} from './columns.ts';
import type { Connection, PreparedStatement } from './connection.ts';

/** An attempt for this server; without a `try` it gets the next one of its row. */
export interface PutAttempt extends GivenAttempt {
  readonly target: number;
  readonly try: number | null;
}

interface Given {
  readonly attempts?: readonly PutAttempt[];
  /** Attempts that are stored, with their outcomes and the settlements of their doubts. */
  readonly answers?: readonly GivenAttempt[];
  /** Whether attempts are intents: refused if another worker has the row, or after a failover. */
  readonly claims: boolean;
}

interface Stored {
  /** The ids of the given attempts that are stored, by their tokens. */
  readonly ids: ReadonlyMap<string, number>;
  /** Those that are new, and those with a new outcome or settlement. */
  readonly made: ReadonlySet<number>;
  readonly settled: ReadonlySet<number>;
}

/** Stores what is missing of attempts; this can be repeated. */
export async function putAttempts(
  to: Pick<Connection, 'query'>,
  { attempts = [], answers = [], claims }: Given,
): Promise<Stored> {
  const rows = await to.query<{ id: number; token: string | null; is: 'made' | 'settled' | null }>(
    PUT,
    {
      claims,
      tokens: [...attempts, ...answers].map(({ token }) => token),
      attempts: jsonRows(attempts.map(attemptColumns)),
      outcomes: jsonRows(answers.flatMap(outcomeColumns)),
      settlements: jsonRows(answers.flatMap(settlementColumns)),
    },
  );
  const idsOf = (kind: 'made' | 'settled') =>
    new Set(rows.filter((row) => row.is === kind).map(({ id }) => id));
  const ids = new Map(rows.flatMap(({ token, id }) => (token === null ? [] : [[token, id]])));
  return { ids, made: idsOf('made'), settled: idsOf('settled') };
}

function attemptColumns(attempt: PutAttempt, place: number) {
  const { time, target, credential, body, run, line, token, pass, worker } = attempt;
  const member = withoutNul(attempt.member);
  const made = { time, target, member, credential, body, run, line, try: attempt.try, token };
  return { ...made, pass, worker, place };
}

function outcomeColumns({ token, outcome }: GivenAttempt) {
  return outcome ? [{ ...toSharedOutcome(outcome), token, time: outcome.time }] : [];
}

function settlementColumns({ token, evidence }: GivenAttempt) {
  return evidence.map((each) =>
    Object.assign(settlementToColumns(each), { who: each.by, time: each.at, token }),
  );
}

const TIME = `coalesce(to_timestamp(given.time / 1000), clock_timestamp())`;
const MADE = { time: 'float8', token: 'uuid' } as const;

/** Of an attempt that is no intent and whose row is missing, the run is left out. */
const PUT: PreparedStatement = {
  name: 'lectern_put',
  text: `
  WITH made AS (
    INSERT INTO lectern.attempts ${select({
      ...columnsOf('given', SHARED_ATTEMPT),
      time: TIME,
      run: 'row.run',
      line: 'row.line',
      try: `CASE WHEN row.run IS NOT NULL THEN coalesce(given.try, ${nextTry('row')}
        + row_number() OVER (PARTITION BY row.run, row.line ORDER BY place) - 1) END`,
    })}
    FROM ${givenRows(':attempts', { ...SHARED_ATTEMPT, ...MADE, place: 'int' })}
      LEFT JOIN lectern.run_rows AS row ON row.run = given.run AND row.line = given.line
    WHERE NOT EXISTS (SELECT FROM lectern.attempts AS known WHERE known.token = given.token)
      AND (NOT :claims OR given.run IS NULL OR row.run IS NOT NULL AND (given.pass IS NULL OR EXISTS (
        SELECT FROM lectern.passes WHERE passes.run = given.run AND passes.pass = given.pass
          AND ${IS_HERE})))
    ORDER BY place
    ON CONFLICT DO NOTHING
    RETURNING id, token
  ), answered AS (
    INSERT INTO lectern.outcomes ${select({
      ...columnsOf('given', SHARED_OUTCOME),
      attempt: 'attempts.id',
      time: TIME,
    })}
    FROM ${givenRows(':outcomes', { ...SHARED_OUTCOME, ...MADE })}
      JOIN lectern.attempts ON attempts.token = given.token
    ON CONFLICT DO NOTHING
    RETURNING attempt
  ), settled AS (
    INSERT INTO lectern.settlements ${select({
      ...columnsOf('given', SETTLEMENT),
      attempt: 'attempts.id',
      time: TIME,
    })}
    FROM ${givenRows(':settlements', { ...SETTLEMENT, ...MADE })}
      JOIN lectern.attempts ON attempts.token = given.token
    WHERE NOT EXISTS (SELECT FROM lectern.settlements AS earlier
      WHERE earlier.attempt = attempts.id AND earlier.time = ${TIME})
    ORDER BY given.time
    RETURNING attempt
  )
  SELECT id, token, 'made' AS is FROM made
  UNION ALL SELECT id, token, NULL FROM lectern.attempts WHERE token = ANY (:tokens::uuid[])
  UNION ALL SELECT attempt, NULL, 'settled' FROM answered
  UNION ALL SELECT attempt, NULL, 'settled' FROM settled`,
};

/** How many attempts were new, and how many others are settled by it. */
export interface Added {
  readonly attempts: number;
  readonly settled: number;
}

/**
 * Adds what the server lacks of attempts of another store: of a local ledger (`ledger import`), and of
 * the answers that a worker has in its own. Throws `LedgerError` (`busy`) if another worker began one of
 * the rows at that moment: it can be repeated.
 */
export async function addAttempts(
  to: Pick<Connection, 'query' | 'place'>,
  targets: PostgresTargets,
  given: readonly GivenAttempt[],
): Promise<Added> {
  const attempts = await Promise.all(
    given.map(async (each) =>
      Object.assign({}, each, { try: null, target: await targets.idOf(each) }),
    ),
  );
  const { ids, made } = await putAttempts(to, { attempts, claims: false });
  if (given.some(({ token }) => !ids.has(token))) {
    throw new LedgerError('busy', to.place, 'another worker has begun a row: try again');
  }
  const { settled } = await putAttempts(to, { answers: given, claims: false });
  return { attempts: made.size, settled: [...settled].filter((id) => !made.has(id)).length };
}
