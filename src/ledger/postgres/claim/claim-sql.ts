import { joinKnown, stateOf } from '../../attempt-sql.ts';
import { IS_SENDABLE, isComplete, recount, ROW_STATE, rowColumns } from '../../run-sql.ts';
import { POSTGRES, ROWS } from '../columns.ts';
import type { PreparedStatement } from '../connection.ts';

/*
 * A run is sent in passes. A worker leases some lines of a pass after others: those that follow the lines
 * leased before, or those of a worker that is gone.
 *
 *   run     open ---- each row sent, or in doubt (COMPLETE) ----> complete
 *
 *   pass    open ---- STOP, or the service wants a long pause (WAIT) ----> stopped
 *             |   <---- a worker joins ---------------------------------------+
 *             +---- a later pass is opened ----> over: no line is leased
 *             +---- a failover ----> lost: no line is leased, no intent taken
 *
 *   worker  alive ---- RELEASE ----> ended: others lease its lines
 *             |   <---- BEAT ----+
 *             +---- no BEAT for 30 seconds ----> silent: others lease its lines
 *
 * After a failover the server is on another timeline, and may lack the last commits: pass.ts.
 */

/** How long a worker may be silent before its lines go to others. */
export const SILENCE = `interval '30 seconds'`;

/** Milliseconds from now; null if it is past. */
const msUntil = (column: string): string => `
    CASE WHEN ${column} > clock_timestamp()
      THEN extract(epoch FROM ${column} - clock_timestamp())::float8 * 1000 END`;

/** Whether a worker is alive. */
export const IS_ALIVE = `workers.ended IS NULL AND workers.seen > clock_timestamp() - ${SILENCE}`;

/** Whether a pass was opened on this server: the timeline changes with a failover. */
export const IS_HERE = `passes.timeline = (SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))`;

const IS_OVER =
  '(SELECT true FROM lectern.passes AS later WHERE later.run = :run AND later.pass > :pass LIMIT 1)';

/** Lines leased at a time: an eighth of the equal share of each worker, so that all end together. */
const LEAST_LINES = 10;
const MOST_LINES = 500;
const SHARE = 8;

/**
 * The lease number `lease` of a worker, which may be repeated; `held` are the lines that it has not sent
 * yet. The row of the pass is locked, so that no two workers lease the same lines.
 */
export const LEASE: PreparedStatement = {
  name: 'lectern_lease',
  text: `
  WITH pass AS (
    SELECT passes.run, passes.pass, leased, least(rest, greatest(${LEAST_LINES},
      least(${MOST_LINES}, rest / (${SHARE} * :workers::bigint)))) AS wanted
    FROM lectern.passes, lectern.workers
    WHERE passes.run = :run AND passes.pass = :pass AND ${IS_HERE} AND ${IS_OVER} IS NULL
      AND stopped IS NULL AND waits_until IS NULL AND workers.id = :worker AND leases < :lease
    FOR UPDATE
  ), gone AS (
    SELECT workers.id, lines FROM pass JOIN lectern.workers USING (run, pass)
    WHERE lines <> '{}' AND NOT (${IS_ALIVE}) AND workers.id <> :worker
    ORDER BY workers.id LIMIT 1 FOR UPDATE OF workers SKIP LOCKED
  ), fresh AS (
    SELECT row.line FROM ${ROWS}
    WHERE row.run = :run AND row.line > (SELECT leased FROM pass) AND NOT EXISTS (SELECT FROM gone)
      AND ${ROW_STATE} = ANY (:states::text[]) AND ${IS_SENDABLE}
    ORDER BY row.line LIMIT (SELECT wanted FROM pass)
  ), moved AS (
    UPDATE lectern.passes SET leased = coalesce(last, passes.leased),
      rest = CASE WHEN count < wanted THEN 0 ELSE passes.rest - count END
    FROM pass, (SELECT count(*) AS count, max(line) AS last FROM fresh) AS counted
    WHERE passes.run = pass.run AND passes.pass = pass.pass AND NOT EXISTS (SELECT FROM gone)
  ), taken AS (
    UPDATE lectern.workers SET lines = '{}' FROM gone WHERE workers.id = gone.id
  )
  UPDATE lectern.workers SET leases = :lease, lines = :held::bigint[]
    || ARRAY(SELECT line FROM fresh UNION ALL SELECT unnest(lines) FROM gone)
  FROM pass WHERE workers.id = :worker`,
};

/**
 * Not tried in this pass, or without effect. One row is looked up, so that no join reads all
 * attempts.
 */
export const isUntried = (pass: string): string => `(attempts.id IS NULL OR (
      SELECT true FROM lectern.attempts ${joinKnown(POSTGRES)}
      WHERE attempts.run = row.run AND attempts.line = row.line AND attempts.pass = ${pass}
        AND ${stateOf()} <> 'not_sent' LIMIT 1) IS NULL)`;

/**
 * A row is sent once in a pass, unless the attempt had no effect. A row in doubt whose answer is
 * awaited is left to the worker that waits for it.
 */
export const LEASED_ROWS: PreparedStatement = {
  name: 'lectern_leased_rows',
  text: `
  SELECT ${rowColumns(POSTGRES)}, CASE WHEN attempts.id IS NULL THEN 0 ELSE (
    SELECT max(try) + 1 FROM lectern.attempts
    WHERE attempts.run = row.run AND attempts.line = row.line) END AS tries
  FROM ${ROWS}
  WHERE row.run = :run AND row.line = ANY (ARRAY(
      SELECT unnest(lines) FROM lectern.workers WHERE id = :worker AND leases = :lease
      EXCEPT SELECT unnest(:held::bigint[])))
    AND ${ROW_STATE} = ANY (:states::text[]) AND ${IS_SENDABLE} AND ${isUntried(':pass')}
    AND NOT (attempts.id IS NOT NULL AND outcome.attempt IS NULL AND EXISTS (
      SELECT FROM lectern.workers WHERE workers.id = attempts.worker AND ${IS_ALIVE}))
  ORDER BY row.line`,
};

/** The lines that a worker has not sent yet, unless it does not know of its last lease. */
const HOLD_LINES = 'lines = CASE WHEN leases <= :lease THEN :held::bigint[] ELSE lines END';

/** Ends a worker: its lines are free. */
export const RELEASE = `
  UPDATE lectern.workers SET ended = clock_timestamp(), ${HOLD_LINES}
  WHERE id = :worker AND pid = :pid`;

/** Marks a run as complete if it is; sending a row again does not undo that. */
export const COMPLETE = `
  UPDATE lectern.runs SET complete = true WHERE id = :run AND NOT complete AND ${isComplete(POSTGRES)}`;

/** Recomputes whether a run is complete: a settlement or an import may change it either way. */
export const RECOUNT = recount(POSTGRES);

export const BEAT = `UPDATE lectern.workers SET seen = clock_timestamp(), learnt = :learnt, ${HOLD_LINES}
  WHERE id = :worker AND pid = :pid`;

/** Whether workers of a pass have lines, or had them when they were gone. */
const HAVE_LINES = `SELECT FROM lectern.workers
  WHERE workers.run = passes.run AND workers.pass = passes.pass AND lines <> '{}'`;

/** Whether lines of a pass are not sent yet, and whether some of them are free. */
export const IS_OPEN = `(rest > 0 OR EXISTS (${HAVE_LINES}))`;
const IS_FREE = `(rest > 0 OR EXISTS (${HAVE_LINES} AND NOT (${IS_ALIVE})))`;

/** The pace that all workers of a pass keep to. Returns no row if a failover has lost the pass. */
export const LOOK = `
  SELECT (SELECT count(*) FROM lectern.workers
      WHERE run = :run AND workers.pass = :pass AND ${IS_ALIVE}) AS workers,
    stopped IS NOT NULL OR ${IS_OVER} IS NOT NULL AS stopped,
    ${msUntil('waits_until')} AS waits, ${msUntil('held_until')} AS held,
    NOT ${IS_HERE} OR NOT EXISTS (SELECT FROM lectern.workers WHERE id = :worker AND pid = :pid) AS lost,
    ${IS_OPEN} AS open, ${IS_FREE} AS free
  FROM lectern.passes WHERE run = :run AND pass = :pass`;

export const STOP =
  'UPDATE lectern.passes SET stopped = clock_timestamp() WHERE run = :run AND stopped IS NULL';

/** A pause that all workers wait out, and one that is too long for that. */
export const HOLD = `UPDATE lectern.passes SET held_until =
  greatest(held_until, clock_timestamp() + :ms * interval '1 millisecond') WHERE run = :run AND pass = :pass`;
export const WAIT = `UPDATE lectern.passes SET waits_until =
  greatest(waits_until, clock_timestamp() + :ms * interval '1 millisecond') WHERE run = :run AND pass = :pass`;
