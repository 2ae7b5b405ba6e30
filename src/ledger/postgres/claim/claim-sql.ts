import { IS_SENDABLE, joinKnown, stateOf } from '../../attempt-sql.ts';
import { POSTGRES, ROW_COLUMNS, ROW_STATE, ROWS } from '../columns.ts';
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
 *             +---- a later pass is opened ----> over: its parts are not leased any more
 *
 *   part    free ---- LEASE ----> leased ---- all its rows came to an end (FINISH) ----> done
 *             ^                     |
 *             +---- RELEASE, or its worker is silent
 *
 *   worker  alive ---- RELEASE ----> ended
 *             |   <---- BEAT ----+
 *             +---- no BEAT for 30 seconds ----> silent: others lease its parts
 *
 * After a failover the server is on another timeline: failover.ts says what becomes of the parts then.
 */

/** How long a worker may be silent before its parts go to others. */
export const SILENCE = `interval '30 seconds'`;
/** The rows of a part; within these bounds a pass has `PARTS` of them. */
const LEAST_ROWS_PER_PART = 10;
const MOST_ROWS_PER_PART = 500;
const PARTS = 100;
/**
 * The last eighth of the rows is divided into parts of a quarter of the size, so that all workers
 * end at the same time.
 */
const LAST = { share: 8, parts: 4 };

/** Milliseconds from now; null if it is past. */
const msUntil = (column: string): string => `
    CASE WHEN ${column} > clock_timestamp()
      THEN extract(epoch FROM ${column} - clock_timestamp())::float8 * 1000 END`;

/** Whether a worker is alive. */
export const IS_ALIVE = `ended IS NULL AND seen > clock_timestamp() - ${SILENCE}`;

/** Changes with a failover. */
export const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)';

export const OPEN_PASS = `
  SELECT passes.pass, states, rate, coalesce(stopped, waits_until) IS NOT NULL AS is_stopped,
    EXISTS (SELECT FROM lectern.parts WHERE parts.run = passes.run AND parts.pass = passes.pass
      AND NOT done) AS has_open, living.pid, living.host, learnt.share,
    learnt.workers
  FROM lectern.passes
    LEFT JOIN LATERAL (SELECT pid, host FROM lectern.workers
      WHERE workers.run = passes.run AND ${IS_ALIVE} LIMIT 1) AS living ON true
    LEFT JOIN LATERAL (SELECT count(*) AS workers,
        avg(learnt) * count(*) / (count(*) + 1) AS share FROM lectern.workers
      WHERE workers.run = passes.run AND workers.pass = passes.pass AND ${IS_ALIVE}) AS learnt ON true
  WHERE passes.run = :run ORDER BY passes.pass DESC LIMIT 1`;

/** Whether any row of the run was tried, evaluated once for each statement rather than for each row. */
const IS_BEGUN = '(SELECT EXISTS (SELECT FROM lectern.attempts WHERE attempts.run = :run))';

export const MAKE_PARTS = `
  INSERT INTO lectern.parts (run, pass, part, first_line, last_line, timeline)
  SELECT :run, :pass, row_number() OVER (ORDER BY min(line)), min(line), max(line), ${TIMELINE} FROM (
    SELECT line, place, place > count - count / ${LAST.share} AS is_last,
      greatest(${LEAST_ROWS_PER_PART}, least(${MOST_ROWS_PER_PART}, count / ${PARTS})) AS size
    FROM (
      SELECT row.line, row_number() OVER (ORDER BY row.line) - 1 AS place, count(*) OVER () AS count
      FROM (
        SELECT line FROM lectern.run_rows
        WHERE run = :run AND 'not_sent' = ANY (:states::text[]) AND NOT ${IS_BEGUN}
        UNION ALL
        SELECT row.line FROM ${ROWS}
        WHERE row.run = :run AND ${ROW_STATE} = ANY (:states::text[]) AND ${IS_BEGUN}
          AND ${IS_SENDABLE}
        ORDER BY line LIMIT :limit
      ) AS row
    ) AS counted
  ) AS numbered
  GROUP BY is_last, place / CASE WHEN is_last
    THEN greatest(${LEAST_ROWS_PER_PART}, size / ${LAST.parts}) ELSE size END`;

/** The worker of a part is gone. */
export const IS_LEFT = `NOT EXISTS (
  SELECT FROM lectern.workers WHERE workers.id = parts.worker AND ${IS_ALIVE})`;

/** A worker that may have had parts before a failover and has not reported them yet. */
const IS_UNSURE = `EXISTS (SELECT FROM lectern.workers WHERE workers.run = parts.run
    AND workers.pass = parts.pass AND ended IS NULL AND workers.timeline <> ${TIMELINE})`;

/** A part without a worker, or whose worker is gone and leased it from this server. */
const IS_FREE = `CASE WHEN worker IS NULL THEN parts.timeline = ${TIMELINE} OR NOT ${IS_UNSURE}
    ELSE parts.timeline = ${TIMELINE} AND ${IS_LEFT} END`;

/** The parts `finished` of a worker are done, unless the server is on another timeline. */
export const FINISH = `UPDATE lectern.parts SET done = true
    WHERE run = :run AND pass = :pass AND worker = :worker AND part = ANY (:finished::int[]) AND :timeline = ${TIMELINE}`;

/** Leases the next part, and reports those that this worker has finished; `open` are its other ones. */
export const LEASE = `
  WITH finished AS (${FINISH})
  UPDATE lectern.parts SET worker = :worker, timeline = ${TIMELINE}
  WHERE (run, pass, part) = (
    SELECT run, pass, part FROM lectern.parts
    WHERE run = :run AND pass = :pass AND NOT done
      AND ((worker = :worker AND part <> ALL (:finished::int[] || :open::int[])) OR ${IS_FREE})
      AND :timeline = ${TIMELINE}
      AND EXISTS (SELECT FROM lectern.passes
        WHERE passes.run = :run AND passes.pass = :pass AND stopped IS NULL AND waits_until IS NULL)
      AND NOT EXISTS (SELECT FROM lectern.passes WHERE passes.run = :run AND passes.pass > :pass)
    ORDER BY part LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING part, first_line, last_line`;

export const LEFT = `
  SELECT count(*) > 0 AS open, coalesce(bool_or(worker = :worker OR ${IS_FREE}), false) AS free,
    ${TIMELINE} AS timeline
  FROM lectern.parts WHERE run = :run AND pass = :pass AND NOT done
    AND NOT EXISTS (SELECT FROM lectern.passes WHERE passes.run = :run AND passes.pass > :pass)`;

/**
 * Not tried in this pass, or without effect. One row is looked up, so that no join reads all
 * attempts.
 */
export const IS_UNTRIED = `(outcome.id IS NULL OR (
      SELECT true FROM lectern.attempts ${joinKnown(POSTGRES)}
      WHERE attempts.run = row.run AND attempts.line = row.line AND attempts.pass = :pass
        AND ${stateOf()} <> 'not_sent' LIMIT 1) IS NULL)`;

/**
 * A row is sent once in a pass, unless the attempt had no effect. A row in doubt whose answer is
 * awaited is left to the worker that waits for it.
 */
const PART_ROWS_TEXT = `
  SELECT ${ROW_COLUMNS}, CASE WHEN outcome.id IS NULL THEN 0 ELSE (
    SELECT max(try) + 1 FROM lectern.attempts
    WHERE attempts.run = row.run AND attempts.line = row.line) END AS tries
  FROM ${ROWS}
  WHERE row.run = :run AND row.line BETWEEN :first AND :last AND ${ROW_STATE} = ANY (:states::text[])
    AND ${IS_SENDABLE} AND ${IS_UNTRIED}
    AND NOT (outcome.id IS NOT NULL AND outcome.attempt IS NULL AND EXISTS (
      SELECT FROM lectern.workers WHERE workers.id = outcome.worker AND ${IS_ALIVE}))
  ORDER BY row.line`;
export const PART_ROWS: RepeatedStatement = { name: 'lectern_part_rows', text: PART_ROWS_TEXT };

/** Ends a worker, whose parts `finished` are done, unless the server is on another timeline. */
export const RELEASE = `
  WITH freed AS (
    UPDATE lectern.parts SET done = part = ANY (:finished::int[]),
      worker = CASE WHEN part = ANY (:finished::int[]) THEN worker END
    WHERE run = :run AND pass = :pass AND worker = :worker AND NOT done AND :timeline = ${TIMELINE}
  )
  UPDATE lectern.workers SET ended = clock_timestamp(), sent = :sent WHERE id = :worker AND :timeline = ${TIMELINE}
  RETURNING id`;

const IS_COMPLETE = `rows = (
    SELECT count(DISTINCT line) FROM lectern.attempts ${joinKnown(POSTGRES)}
    WHERE attempts.run = :run AND ${stateOf()} <> 'not_sent')`;

/** Completes the run if each row was sent or is in doubt: it stays complete, whatever is sent again. */
export const COMPLETE = `
  UPDATE lectern.runs SET complete = true WHERE id = :run AND NOT complete AND ${IS_COMPLETE}`;

/** After a settlement, by which a row may be one that was not sent. */
export const RECOUNT = `UPDATE lectern.runs SET complete = ${IS_COMPLETE} WHERE id = :run`;

/** Returns no row after a failover to a server that did not have this worker yet. */
export const BEAT = `UPDATE lectern.workers SET seen = clock_timestamp(), sent = :sent, learnt = :learnt
  WHERE id = :worker AND pid = :pid RETURNING id`;

/** The pace that all workers of a pass keep to. */
export const LOOK = `
  SELECT (SELECT count(*) FROM lectern.workers
      WHERE run = :run AND workers.pass = :pass AND ${IS_ALIVE}) AS workers,
    stopped IS NOT NULL OR EXISTS (SELECT FROM lectern.passes AS later
      WHERE later.run = :run AND later.pass > :pass) AS stopped,
    ${msUntil('waits_until')} AS waits, ${msUntil('held_until')} AS held, ${TIMELINE} AS timeline
  FROM lectern.passes WHERE run = :run AND pass = :pass`;

export const STOP =
  'UPDATE lectern.passes SET stopped = clock_timestamp() WHERE run = :run AND stopped IS NULL';

/** A pause that all workers wait out, and one that is too long for that. */
export const HOLD = `UPDATE lectern.passes SET held_until =
  greatest(held_until, clock_timestamp() + :ms * interval '1 millisecond') WHERE run = :run AND pass = :pass`;
export const WAIT = `UPDATE lectern.passes SET waits_until =
  greatest(waits_until, clock_timestamp() + :ms * interval '1 millisecond') WHERE run = :run AND pass = :pass`;
