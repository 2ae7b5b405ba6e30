/**
 * A pass over a run is opened by one worker, and joined by others.
 *
 * A standby that takes over (failover) may lack the last commits. It is on another timeline, so that the
 * pass is over: no line of it is leased, and no intent taken. A worker that lives puts in doubt the rows
 * that it has sent and that are missing there, ends, and reports it. The first command that notices a
 * failover counts the silence of workers from then on. What a worker that stays silent has sent is
 * unknown: all that is left of its pass is in doubt. One that had been silent before, or ended, has lost
 * nothing, since the commits that a server has are all those before its last one.
 */
import { columnsOf, RUN_ROW, select } from '../../columns.ts';
import { LedgerError, RunClaimedError } from '../../error.ts';
import type { ClaimOptions, StoredRun, State } from '../../ledger.ts';
import { IS_SENDABLE, ROW_STATE } from '../../run-sql.ts';
import { IS_ALIVE, IS_HERE, IS_OPEN, isUntried, SILENCE } from './claim-sql.ts';
import { nextTry, ROWS } from '../columns.ts';
import type { Connection, Transaction } from '../connection.ts';

/** The worker, and the pass of a run that it is in. */
export interface Worker {
  readonly id: number;
  readonly pid: number;
  readonly run: number;
  readonly pass: number;
  /** The lines with an intent of this worker, unless it came to nothing. */
  readonly intended: Set<number>;
}

/** What a worker of a pass has to know of it. */
export interface Pass {
  readonly pass: number;
  readonly states: readonly State[];
  readonly rate: number | undefined;
  /** The share of the learnt limit for the new worker. */
  readonly share: number | undefined;
  /** The living workers, the new one too. */
  readonly workers: number;
}

/** The last pass over a run. */
interface LastPass {
  readonly pass: number;
  readonly states: State[];
  readonly rate: number | null;
  readonly is_here: boolean;
  readonly is_open: boolean;
  /** One of the living workers of the run. */
  readonly pid: number | null;
  readonly host: string | null;
  readonly share: number | null;
  readonly workers: number;
}

const LAST_PASS = `
  SELECT passes.pass, states, rate, ${IS_HERE} AS is_here, ${IS_OPEN} AS is_open, living.pid, living.host, learnt.share,
    learnt.workers
  FROM lectern.passes
    LEFT JOIN LATERAL (SELECT pid, host FROM lectern.workers
      WHERE workers.run = passes.run AND ${IS_ALIVE} LIMIT 1) AS living ON true
    LEFT JOIN LATERAL (SELECT count(*) AS workers,
        avg(learnt) * count(*) / (count(*) + 1) AS share FROM lectern.workers
      WHERE workers.run = passes.run AND workers.pass = passes.pass AND ${IS_ALIVE}) AS learnt ON true
  WHERE passes.run = :run ORDER BY passes.pass DESC LIMIT 1`;

/** The advisory lock that is held while a pass over a run is opened or joined; its second key is the run. */
const LOCK_CLASS = 0x6c656374;

/**
 * Locks the passes of a run until the end of the transaction; returns the last one. Throws
 * `RunClaimedError` if a worker sends it, unless `joins` is set.
 */
export async function lockRun(
  transaction: Transaction,
  place: string,
  run: number,
  joins = false,
): Promise<LastPass | undefined> {
  await transaction.lock(LOCK_CLASS, run);
  await doubtLost(transaction);
  const [last] = await transaction.query<LastPass>(LAST_PASS, { run });
  if (typeof last?.pid !== 'number') return last;
  if (!joins) throw new RunClaimedError(place, run, last.pid, last.host ?? undefined);
  if (last.is_here) return last;
  const message = `the server was replaced (failover), and workers of run ${run} have not reported yet which grades they sent: try again in 30 seconds`;
  throw new LedgerError('busy', place, message);
}

/** Joins the open pass over a run, or opens one. */
export async function takePass(
  transaction: Transaction,
  run: StoredRun,
  target: number,
  last: LastPass | undefined,
  wanted: ClaimOptions,
): Promise<Pass> {
  if (!wanted.join || !last?.is_open || !last.is_here) {
    return openPass(transaction, run, target, (last?.pass ?? 0) + 1, wanted);
  }
  const { pass, states, rate, share, workers } = last;
  await transaction.query(GO_ON, { run: run.id, pass });
  return { pass, states, rate: rate ?? undefined, share: share ?? undefined, workers: workers + 1 };
}

const GO_ON = `UPDATE lectern.passes SET stopped = NULL, waits_until = NULL
  WHERE run = :run AND pass = :pass AND coalesce(stopped, waits_until) IS NOT NULL`;

async function openPass(
  transaction: Transaction,
  { id: run, options }: StoredRun,
  target: number,
  pass: number,
  { states = ['not_sent'], limit, rate = Infinity }: ClaimOptions,
): Promise<Pass> {
  // The planned rate of a run binds all passes over it.
  const planned = typeof options.rate === 'number' ? options.rate : Infinity;
  const bound = Math.min(rate, planned);
  const isBound = bound < Infinity;
  const values = { run, pass, states, target, limit: limit ?? null };
  await transaction.query(OPEN_PASS, { ...values, rate: isBound ? bound : null });
  return { pass, states, rate: isBound ? bound : undefined, share: undefined, workers: 1 };
}

/** `rest` is at most the limit. Rows are counted only if some were tried before. */
const OPEN_PASS = `
  INSERT INTO lectern.passes (run, pass, states, rate, target, rest)
  SELECT :run, :pass, :states, :rate, :target, least(:limit, CASE
    WHEN EXISTS (SELECT FROM lectern.attempts WHERE attempts.run = :run) THEN (
      SELECT count(*) FROM ${ROWS}
      WHERE row.run = :run AND ${ROW_STATE} = ANY (:states::text[]) AND ${IS_SENDABLE})
    ELSE runs.rows END)
  FROM lectern.runs WHERE id = :run`;

const REASON =
  'the server was replaced (failover) while a worker had this grade: it may have been sent';

/** Puts rows of a pass in doubt that were not tried in it here; `from` and `which` choose them. */
const doubt = (from: string, which: string): string => `
  made AS (
    INSERT INTO lectern.attempts ${select({
      ...columnsOf('row', RUN_ROW),
      target: 'lost.target',
      credential: 'lost.credential',
      try: nextTry('row'),
      pass: 'lost.pass',
    })}
    FROM ${from} AS lost, ${ROWS}
    WHERE row.run = lost.run AND ${which} AND ${isUntried('lost.pass')}
    ON CONFLICT DO NOTHING
    RETURNING id
  )
  INSERT INTO lectern.outcomes (attempt, state, reason)
  SELECT id, 'in_doubt', '${REASON}' FROM made RETURNING attempt`;

const OWN = `(SELECT :run::bigint AS run, :pass::int AS pass, :target::bigint AS target,
    :credential::text AS credential)`;

/** The rows that a worker has sent, in the pass that it was in. */
export const DOUBT_OWN = `WITH ${doubt(OWN, 'row.line = ANY (:lines::bigint[])')}`;

/** The last pass over a run, where it was opened before a failover. */
const IS_LAST_BEFORE = `NOT ${IS_HERE} AND NOT EXISTS (SELECT FROM lectern.passes AS later
    WHERE later.run = passes.run AND later.pass > passes.pass)`;

/** Workers that may have lost something: this is cheap, the statements below read all rows. */
const UNENDED = `SELECT FROM lectern.workers JOIN lectern.passes USING (run, pass)
  WHERE ended IS NULL AND ${IS_LAST_BEFORE} LIMIT 1`;

/**
 * Marks passes from before a failover as noticed, and counts the silence of their workers from now on. A
 * worker that was silent long before the server's last commit has ended.
 */
const NOTICE = `
  WITH noticed AS (
    UPDATE lectern.passes SET noticed = clock_timestamp()
    WHERE noticed IS NULL AND ${IS_LAST_BEFORE} RETURNING run, pass
  ), last AS (
    SELECT greatest(pg_last_xact_replay_timestamp(), max(seen)) - ${SILENCE} AS time
    FROM lectern.workers
  )
  UPDATE lectern.workers SET seen = greatest(seen, clock_timestamp()),
    ended = CASE WHEN seen < last.time THEN seen END
  FROM noticed, last
  WHERE workers.run = noticed.run AND workers.pass = noticed.pass AND ended IS NULL`;

const DOUBT_REST = `
  WITH gone AS (
    UPDATE lectern.workers SET ended = clock_timestamp() FROM lectern.passes
    WHERE passes.run = workers.run AND passes.pass = workers.pass AND noticed IS NOT NULL
      AND ${IS_LAST_BEFORE} AND workers.ended IS NULL AND NOT (${IS_ALIVE})
    RETURNING workers.run, workers.pass
  ), lost AS (
    SELECT DISTINCT passes.run, passes.pass, passes.target, runs.credential, states, leased, rest
    FROM gone JOIN lectern.passes USING (run, pass) JOIN lectern.runs ON runs.id = gone.run
  ), ${doubt('lost', `${ROW_STATE} = ANY (lost.states) AND (row.line <= lost.leased OR lost.rest > 0)`)}`;

/** Puts in doubt what a failover may have lost of workers that are gone. */
export async function doubtLost(to: Pick<Connection, 'query'>): Promise<void> {
  if ((await to.query(UNENDED)).length === 0) return;
  await to.query(NOTICE);
  await to.query(DOUBT_REST, undefined, { long: true });
}
