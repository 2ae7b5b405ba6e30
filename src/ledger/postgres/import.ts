/**
 * Takes over attempts of another store: those of a local ledger (`ledger import`), and the answers that
 * a worker has in its local ledger. Each is identified by its token, so that it can be repeated.
 */
import { createHash } from 'node:crypto';
import {
  columnsOf,
  filedAttempt,
  newRunToColumns,
  parameters,
  RUN,
  select,
  SETTLEMENT,
  settlementToColumns,
  values,
  withoutNul,
} from '../columns.ts';
import { LedgerError } from '../error.ts';
import type { AttemptRecord, GivenAttempt, Ledger, RunRecord, RunSummary } from '../ledger.ts';
import { paginate } from '../pages.ts';
import { type CountedRows, toSummary } from '../run-sql.ts';
import { postgresTargets, type PostgresTargets } from './attempts.ts';
import { RECOUNT } from './claim/claim-sql.ts';
import {
  givenRows,
  jsonRows,
  nextTry,
  POSTGRES,
  SHARED_ATTEMPT,
  SHARED_OUTCOME,
  toSharedOutcome,
} from './columns.ts';
import type { Connection, Transaction } from './connection.ts';
import { insertRows } from './drafts.ts';
import { COUNT_ROWS } from './runs.ts';
import { checkLedger } from './schema/schema.ts';

/** How many attempts were new, and how many others are settled by it. */
interface Added {
  readonly attempts: number;
  readonly settled: number;
}

/**
 * Adds what the server lacks of attempts: the attempt, its outcome, and how its doubt was settled. Throws
 * `LedgerError` (`busy`) if another worker began one of the rows at that moment: it can be repeated.
 */
export async function addAttempts(
  to: Pick<Connection, 'query' | 'place'>,
  targets: PostgresTargets,
  given: readonly GivenAttempt[],
): Promise<Added> {
  const rows = given.map(async (each, place) => {
    const { token, time, credential, body, run, line, worker, pass } = each;
    const { url, member, location, context } = each;
    const address = { url, member, location: location ?? undefined, context: context ?? undefined };
    const made = { credential, body, run, line, worker, pass, member: withoutNul(member) };
    return { ...made, token, time, place, target: await targets.idOf(address) };
  });
  const outcomes = given.flatMap(({ token, outcome }) =>
    outcome ? [{ ...toSharedOutcome(outcome), token, time: outcome.time }] : [],
  );
  const settlements = given.flatMap(({ token, evidence }) =>
    evidence.map((each) => {
      const { by: who, at: time } = each;
      return { ...settlementToColumns(each), who, time, token };
    }),
  );
  const add = async (sql: string, of: readonly object[]): Promise<number[]> => {
    if (of.length === 0) return [];
    return (await to.query<{ id: number }>(sql, { given: jsonRows(of) })).map(({ id }) => id);
  };
  const made = new Set(await add(ADD_ATTEMPTS, await Promise.all(rows)));
  const tokens = [...new Set(given.map(({ token }) => token))];
  if ((await to.query(FIND_ATTEMPTS, { tokens })).length < tokens.length) {
    throw new LedgerError('busy', to.place, 'another worker has begun a row: try again');
  }
  const known = [await add(ADD_OUTCOMES, outcomes), await add(ADD_SETTLEMENTS, settlements)];
  const settled = new Set(known.flat().filter((id) => !made.has(id)));
  return { attempts: made.size, settled: settled.size };
}

const TIME = `coalesce(to_timestamp(given.time / 1000), clock_timestamp())`;

/** If its row is missing, the attempt belongs to no run. The tries of a row are numbered again. */
const ADD_ATTEMPTS = `
  INSERT INTO lectern.attempts ${select({
    ...columnsOf('given', SHARED_ATTEMPT),
    time: TIME,
    run: 'row.run',
    line: 'row.line',
    try: `CASE WHEN row.run IS NOT NULL THEN ${nextTry('row')}
      + row_number() OVER (PARTITION BY row.run, row.line ORDER BY place) - 1 END`,
  })}
  FROM ${givenRows(':given', { ...SHARED_ATTEMPT, time: 'float8', place: 'int' })}
    LEFT JOIN lectern.run_rows AS row ON row.run = given.run AND row.line = given.line
  WHERE NOT EXISTS (SELECT FROM lectern.attempts AS known WHERE known.token = given.token)
  ORDER BY place
  ON CONFLICT DO NOTHING RETURNING id`;

const FIND_ATTEMPTS = 'SELECT FROM lectern.attempts WHERE token = ANY (:tokens::uuid[])';

const ADD_OUTCOMES = `
  INSERT INTO lectern.outcomes ${select({
    ...columnsOf('given', SHARED_OUTCOME),
    attempt: 'attempts.id',
    time: TIME,
  })}
  FROM ${givenRows(':given', { ...SHARED_OUTCOME, time: 'float8', token: 'uuid' })}
    JOIN lectern.attempts ON attempts.token = given.token
  ON CONFLICT DO NOTHING RETURNING attempt AS id`;

const ADD_SETTLEMENTS = `
  INSERT INTO lectern.settlements ${select({
    ...columnsOf('given', SETTLEMENT),
    attempt: 'attempts.id',
    time: TIME,
  })}
  FROM ${givenRows(':given', { ...SETTLEMENT, time: 'float8', token: 'uuid' })}
    JOIN lectern.attempts ON attempts.token = given.token
  WHERE NOT EXISTS (SELECT FROM lectern.settlements AS earlier
    WHERE earlier.attempt = attempts.id AND earlier.time = to_timestamp(given.time / 1000))
  ORDER BY given.time
  RETURNING attempt AS id`;

export interface Imported extends Added {
  /** The number of each new run in the shared ledger, by its local number. */
  readonly renumbered: ReadonlyMap<number, number>;
}

/** Attempts in one statement. */
const BATCH = 1000;

/** Held during an import. */
const LOCK = 0x6c656379;

/**
 * Imports what the shared ledger lacks of a local one, in one transaction, and verifies the counts of
 * new runs.
 */
export async function importLedger(connection: Connection, local: Ledger): Promise<Imported> {
  await checkLedger(connection);
  return connection.transaction(async (transaction) => {
    await transaction.query('SELECT pg_advisory_xact_lock(:lock)', { lock: LOCK });
    const runs = new Map<number, ImportedRun>();
    for (const run of (await local.runs()).toReversed()) {
      runs.set(run.id, await importRun(transaction, local, run));
    }
    const added = await importAttempts(transaction, local, runs);
    const renumbered = new Map<number, number>();
    for (const [number, { run, id, isNew }] of runs) {
      if (isNew) await checkCounts(transaction, connection.place, run, id);
      if (isNew) renumbered.set(number, id);
      await transaction.query(RECOUNT, { run: id });
    }
    return { ...added, renumbered };
  });
}

interface ImportedRun {
  readonly run: RunRecord;
  /** In the shared ledger. */
  readonly id: number;
  readonly isNew: boolean;
}

/** A run has no name, but no two have the same time, digest and source. */
async function importRun(
  transaction: Transaction,
  local: Ledger,
  run: RunRecord,
): Promise<ImportedRun> {
  const { time, digest, source, summary } = run;
  const key = { time, digest, source };
  const [known] = await transaction.query<{ id: number }>(FIND_RUN, key);
  if (known) return { run, id: known.id, isNew: false };
  const columns = { ...newRunToColumns(run), ...key, rows: summary.rows };
  const [made] = await transaction.query<{ id: number }>(INSERT_RUN, columns);
  const id = made?.id ?? 0;
  for await (const batch of local.pages(run.id)) await insertRows(transaction, id, batch);
  return { run, id, isNew: true };
}

const FIND_RUN = `SELECT id FROM lectern.runs
  WHERE time = ${POSTGRES.timeOf(':time')} AND digest = :digest AND source = :source`;

const INSERT_RUN = `INSERT INTO lectern.runs ${values({
  time: POSTGRES.timeOf(':time'),
  ...parameters(RUN),
})} RETURNING id`;

/** In order, so that later attempts get higher numbers here too. */
async function importAttempts(
  transaction: Transaction,
  local: Ledger,
  runs: ReadonlyMap<number, ImportedRun>,
): Promise<Added> {
  const targets = postgresTargets(transaction);
  const count = { attempts: 0, settled: 0 };
  for await (const attempts of paginate(local.attempts(), BATCH)) {
    const evidence = await local.evidence(attempts.map(({ id }) => id));
    const given = attempts.map((attempt) => {
      const { id, run: number = 0, line = null } = attempt;
      const of = runs.get(number);
      const filed = filedAttempt(attempt, evidence.get(id));
      const more = { line, run: of?.id ?? null, worker: null, pass: null };
      return Object.assign(filed, more, { token: tokenOf(attempt, of?.run) });
    });
    const added = await addAttempts(transaction, targets, given);
    count.attempts += added.attempts;
    count.settled += added.settled;
  }
  return count;
}

/** A UUID that is the same on each machine that has the attempt. */
function tokenOf(attempt: AttemptRecord, run: RunRecord | undefined): string {
  const { line, time, url, member, body } = attempt;
  const made = [run?.time, run?.digest, line, time, url, member, body];
  return createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 32);
}

/** Compares the counts of a run with the local ones. */
async function checkCounts(
  transaction: Transaction,
  place: string,
  { id, summary }: RunRecord,
  here: number,
): Promise<void> {
  const counted = await transaction.query<CountedRows>(COUNT_ROWS, { run: here });
  const now = toSummary(summary.rows, counted);
  const counts = ['rows', 'success', 'failed', 'refused', 'inDoubt', 'notSent'] as const;
  if (counts.every((name: keyof RunSummary) => summary[name] === now[name])) return;
  const message = `run ${id} differs from the one in the local ledger; nothing was imported`;
  throw new LedgerError('other', place, message);
}
