import { joinKnown, stateOf } from '../../attempt-sql.ts';
import { IS_SENDABLE, isComplete, recount, ROW_STATE, rowColumns } from '../../run-sql.ts';
import { POSTGRES, ROWS } from '../columns.ts';
import type { RepeatedStatement } from '../connection.ts';

/*
 * A run is sent in passes, a pass in parts, and a part by one worker at a time.
 *
 *   run     draft ---- seal ----> sealed ---- each row sent, or in doubt (COMPLETE) ----> complete
 *             |
 *             +---- discard, or its process ends ----> gone
 *
 *   pass    open ---- STOP, or the service wants a long pause (WAIT) ----> stopped
 *             |   <---- a worker joins ---------------------------------------+
 *             +---- a later pass is opened, or a failover ----> over: no part is leased, no intent taken
 *
 *   part    free ---- LEASE ----> leased ---- all its rows came to an end (FINISH) ----> done
 *             ^                     |
 *             +---- RELEASE, or its worker is silent
 *
 *   worker  alive ---- RELEASE ----> ended
 *             |   <---- BEAT ----+
 *             +---- no BEAT for 30 seconds ----> silent: others lease its parts
 *
 * After a failover the server is on another timeline, and may lack the last commits: pass.ts.
 */

/** How long a worker may be silent before its parts go to others. */
export const SILENCE = `interval '30 seconds'`;

/** Milliseconds from now; null if it is past. */
const msUntil = (column: string): string => `
    CASE WHEN ${column} > clock_timestamp()
      THEN extract(epoch FROM ${column} - clock_timestamp())::float8 * 1000 END`;

/** Whether a worker is alive. */
export const IS_ALIVE = `workers.ended IS NULL AND workers.seen > clock_timestamp() - ${SILENCE}`;

/** Whether a pass was opened on this server: the timeline changes with a failover. */
export const IS_HERE = `passes.timeline = (SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))`;

const OWN_PASS = 'SELECT FROM lectern.passes WHERE passes.run = :run AND passes.pass = :pass';
const IS_OVER =
  '(SELECT true FROM lectern.passes AS later WHERE later.run = :run AND later.pass > :pass LIMIT 1)';

/** A part without a worker, or whose worker is gone. */
const IS_FREE = `NOT EXISTS (
  SELECT FROM lectern.workers WHERE workers.id = parts.worker AND ${IS_ALIVE})`;

/** The parts `finished` of a worker are done. */
export const FINISH = `UPDATE lectern.parts SET done = true
    WHERE run = :run AND pass = :pass AND worker = :worker AND part = ANY (:finished::int[])
      AND EXISTS (${OWN_PASS} AND ${IS_HERE})`;

/** Leases the next part; `open` are the ones that this worker has not finished. */
export const LEASE = `
  UPDATE lectern.parts SET worker = :worker
  WHERE (run, pass, part) = (
    SELECT run, pass, part FROM lectern.parts
    WHERE run = :run AND pass = :pass AND NOT done
      AND part <> ALL (:open::int[]) AND (worker = :worker OR ${IS_FREE})
      AND EXISTS (${OWN_PASS} AND ${IS_HERE} AND stopped IS NULL AND waits_until IS NULL)
      AND ${IS_OVER} IS NULL
    ORDER BY part LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING part, first_line, last_line`;

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
export const PART_ROWS: RepeatedStatement = {
  name: 'lectern_part_rows',
  text: `
  SELECT ${rowColumns(POSTGRES)}, CASE WHEN attempts.id IS NULL THEN 0 ELSE (
    SELECT max(try) + 1 FROM lectern.attempts
    WHERE attempts.run = row.run AND attempts.line = row.line) END AS tries
  FROM ${ROWS}
  WHERE row.run = :run AND row.line BETWEEN :first AND :last AND ${ROW_STATE} = ANY (:states::text[])
    AND ${IS_SENDABLE} AND ${isUntried(':pass')}
    AND NOT (attempts.id IS NOT NULL AND outcome.attempt IS NULL AND EXISTS (
      SELECT FROM lectern.workers WHERE workers.id = attempts.worker AND ${IS_ALIVE}))
  ORDER BY row.line`,
};

/** Ends a worker, and frees its parts. */
export const RELEASE = `
  WITH freed AS (
    UPDATE lectern.parts SET worker = NULL
    WHERE run = :run AND pass = :pass AND worker = :worker AND NOT done
      AND EXISTS (${OWN_PASS} AND ${IS_HERE})
  )
  UPDATE lectern.workers SET ended = clock_timestamp()
  WHERE id = :worker AND pid = :pid`;

/** Completes a run that is: it stays complete, whatever is sent again. */
export const COMPLETE = `
  UPDATE lectern.runs SET complete = true WHERE id = :run AND NOT complete AND ${isComplete(POSTGRES)}`;

/** After a settlement, by which a row may be one that was not sent. */
export const RECOUNT = recount(POSTGRES);

export const BEAT = `UPDATE lectern.workers SET seen = clock_timestamp(), learnt = :learnt
  WHERE id = :worker AND pid = :pid`;

/**
 * The pace that all workers of a pass keep to, and whether parts are left, and one of them is free. Returns
 * no row if a failover has lost the pass.
 */
export const LOOK = `
  SELECT (SELECT count(*) FROM lectern.workers
      WHERE run = :run AND workers.pass = :pass AND ${IS_ALIVE}) AS workers,
    stopped IS NOT NULL OR ${IS_OVER} IS NOT NULL AS stopped,
    ${msUntil('waits_until')} AS waits, ${msUntil('held_until')} AS held,
    NOT ${IS_HERE} OR NOT EXISTS (SELECT FROM lectern.workers WHERE id = :worker AND pid = :pid) AS lost,
    rest.*
  FROM lectern.passes, LATERAL (
    SELECT count(*) > 0 AS open, coalesce(bool_or(worker = :worker OR ${IS_FREE}), false) AS free
    FROM lectern.parts WHERE parts.run = :run AND parts.pass = :pass AND NOT done
  ) AS rest WHERE run = :run AND pass = :pass`;

export const STOP =
  'UPDATE lectern.passes SET stopped = clock_timestamp() WHERE run = :run AND stopped IS NULL';

/** A pause that all workers wait out, and one that is too long for that. */
export const HOLD = `UPDATE lectern.passes SET held_until =
  greatest(held_until, clock_timestamp() + :ms * interval '1 millisecond') WHERE run = :run AND pass = :pass`;
export const WAIT = `UPDATE lectern.passes SET waits_until =
  greatest(waits_until, clock_timestamp() + :ms * interval '1 millisecond') WHERE run = :run AND pass = :pass`;
