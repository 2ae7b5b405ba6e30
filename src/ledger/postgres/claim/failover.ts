import { columnsOf, RUN_ROW, select } from '../../columns.ts';
import { LedgerError } from '../../error.ts';
import type { RunTarget, SealedRun, State } from '../../ledger.ts';
import { ROW_STATE, ROWS } from '../columns.ts';
import type { Connection, Values } from '../connection.ts';
import { nextTry, postgresTargets, targetAddress } from '../write/write-sql.ts';
import { IS_ALIVE, IS_LEFT, IS_UNTRIED, SILENCE, TIMELINE } from './claim-sql.ts';

/*
 * A standby that takes over may lack the last commits, of any number of parts; it is on another
 * timeline. A worker knows the parts that it had: when it finds the new timeline, it puts the records in
 * doubt that are missing here, and until it has, no worker leases a part that was made on the old one.
 * The parts of a worker that is gone are unknown: all that is left of its pass is in doubt.
 */

type Asked = Pick<Connection, 'query'>;

const REASON =
  'the server was replaced (failover) while a worker had this row, which may have sent it';

/** Whether a worker of the pass has neither ended nor reported since the failover. */
const IS_UNACCOUNTED = `EXISTS (SELECT FROM lectern.workers WHERE workers.run = parts.run
    AND workers.pass = parts.pass AND ended IS NULL AND workers.timeline = '' AND NOT (${IS_ALIVE}))`;

/** A part whose records may have been sent, by a worker that is gone. */
const IS_LOST = `NOT done AND parts.timeline <> ${TIMELINE}
  AND CASE WHEN worker IS NULL THEN ${IS_UNACCOUNTED} ELSE ${IS_LEFT} END
  AND NOT EXISTS (SELECT FROM lectern.passes
    WHERE passes.run = parts.run AND passes.pass > parts.pass)`;

const IS_UNNOTICED = `ended IS NULL AND timeline NOT IN (${TIMELINE}, '')`;

/** Whether a failover may have lost something. This is cheap; the statements below read all records. */
const LOOK = `SELECT EXISTS (SELECT FROM lectern.workers WHERE ${IS_UNNOTICED}) AS unnoticed,
  EXISTS (SELECT FROM lectern.parts WHERE ${IS_LOST}) AS lost`;

/**
 * A worker cannot report that it is alive while the server is replaced: its silence counts from now on. One
 * that was silent long before has lost nothing.
 */
const NOTICE = `
  WITH last AS (
    SELECT greatest(pg_last_xact_replay_timestamp(), max(seen)) - ${SILENCE} AS time
    FROM lectern.workers WHERE timeline NOT IN (${TIMELINE}, '')
  )
  UPDATE lectern.workers SET
    timeline = CASE WHEN seen < last.time THEN ${TIMELINE} ELSE '' END,
    seen = CASE WHEN seen < last.time THEN seen ELSE clock_timestamp() END
  FROM last WHERE ${IS_UNNOTICED}`;

const LOST_PASSES = `
  SELECT passes.run, passes.pass, states, target, credential
  FROM lectern.passes JOIN lectern.runs ON runs.id = passes.run
  WHERE (passes.run, passes.pass) IN (SELECT run, pass FROM lectern.parts WHERE ${IS_LOST})`;

/** The records of the parts `lost` that are missing here. */
const madeIn = (lost: string, more = ''): string => `
  WITH lost AS (${lost}), made AS (
    INSERT INTO lectern.attempts ${select({
      ...columnsOf('row', RUN_ROW),
      target: ':target',
      credential: ':credential',
      try: nextTry('row'),
      pass: ':pass',
    })}
    FROM ${ROWS}, lost
    WHERE row.run = :run AND row.line BETWEEN lost.first_line AND lost.last_line
      AND ${ROW_STATE} = ANY (:states::text[]) AND ${IS_UNTRIED} ${more}
    ON CONFLICT DO NOTHING
    RETURNING id
  )
  INSERT INTO lectern.outcomes (attempt, state, reason) SELECT id, 'in_doubt', :reason FROM made`;

const DOUBT_LOST = madeIn(`UPDATE lectern.parts SET done = true
    WHERE run = :run AND pass = :pass AND ${IS_LOST} RETURNING first_line, last_line`);

/** `openLines`: those that this worker is not done with; `underWay`: those of which it awaits a response. */
const DOUBT_OWN = `${madeIn(
  'SELECT * FROM unnest(:first::bigint[], :last::bigint[]) AS own (first_line, last_line)',
  'AND (row.line <> ALL (:openLines::bigint[]) OR row.line = ANY (:underWay::bigint[]))',
)}
  UNION ALL
  SELECT attempts.id, 'in_doubt', :reason FROM lectern.attempts, lost
  WHERE attempts.run = :run AND attempts.line BETWEEN lost.first_line AND lost.last_line
    AND attempts.worker = :worker AND attempts.line <> ALL (:openLines)
    AND NOT EXISTS (SELECT FROM lectern.outcomes WHERE attempt = attempts.id)
  ON CONFLICT DO NOTHING`;

/** Counted in the table: `DOUBT_OWN`, repeated after a lost connection, inserts nothing. */
const COUNT_OWN = `
  SELECT count(*) AS count FROM lectern.attempts JOIN lectern.outcomes AS outcome
    ON outcome.attempt = attempts.id
  WHERE attempts.run = :run AND attempts.pass = :pass AND outcome.reason = :reason AND EXISTS (
    SELECT FROM unnest(:first::bigint[], :last::bigint[]) AS own (first_line, last_line)
    WHERE attempts.line BETWEEN first_line AND last_line)`;

/**
 * The parts `open` stay with the worker, the parts `over` are done. Returns no row if the server does
 * not know the worker.
 */
const CONFIRM = `
  WITH own AS (
    UPDATE lectern.parts SET done = part = ANY (:over::int[]), worker = :worker, timeline = ${TIMELINE}
    WHERE run = :run AND pass = :pass AND NOT done AND part = ANY (:open::int[] || :over::int[])
      AND EXISTS (SELECT FROM lectern.workers WHERE id = :worker AND pid = :pid)
  )
  UPDATE lectern.workers SET timeline = ${TIMELINE}, seen = clock_timestamp()
  WHERE id = :worker AND pid = :pid RETURNING timeline`;

/** Puts in doubt what a failover may have lost of workers that are gone; `run`: of one run only. */
export async function doubtLost(to: Asked, run: number | null = null): Promise<void> {
  const [seen] = await to.query<{ unnoticed: boolean; lost: boolean }>(LOOK);
  if (seen?.unnoticed) await to.query(NOTICE);
  if (!seen?.lost) return;
  for (const pass of await to.query<LostPass>(LOST_PASSES)) {
    if (run !== null && pass.run !== run) continue;
    const target = await targetOf(to, pass.target);
    await to.query(DOUBT_LOST, { ...pass, target, reason: REASON }, { long: true });
  }
}

interface LostPass extends Pick<SealedRun, 'credential'> {
  readonly run: number;
  readonly pass: number;
  readonly states: readonly State[];
  readonly target: RunTarget;
}

/** Stored again if the new server lacks the target. */
function targetOf(to: Asked, target: RunTarget): Promise<number> {
  return postgresTargets(to).idOf(targetAddress(target));
}

/** Lines of a run that a worker has leased. */
export interface Part {
  readonly part: number;
  readonly first_line: number;
  readonly last_line: number;
}

/** The parameters of the statements: what a worker knows of itself. */
export interface Own extends Values {
  readonly run: number;
  readonly pass: number;
  readonly worker: number;
  readonly pid: number;
  readonly states: readonly State[];
  /** The lines of the parts that it has leased since it knew the server last. */
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** The parts with rows that are still to be sent, and the rest of those. */
  readonly open: readonly number[];
  readonly over: readonly number[];
  /** Lines that it is not done with, and of these the ones of which it awaits a response. */
  readonly openLines: readonly number[];
  readonly underWay: readonly number[];
}

/**
 * Puts in doubt what a failover has lost of this worker. `timeline` is that of the new server; undefined
 * where it does not know this worker.
 */
export async function recover(
  to: Asked,
  { target, credential }: SealedRun,
  own: Own,
): Promise<{ readonly lost: number; readonly timeline: string | undefined }> {
  const values = { ...own, target: await targetOf(to, target), credential, reason: REASON };
  await to.query(DOUBT_OWN, values, { long: true });
  const [found] = await to.query<{ count: number }>(COUNT_OWN, values);
  const [row] = await to.query<{ timeline: string }>(CONFIRM, values);
  return { lost: found?.count ?? 0, timeline: row?.timeline };
}

/** The error that ends a worker whose records a failover has lost. */
export function failoverError(place: string, lost: number, isKnown: boolean): LedgerError {
  const which = isKnown ? '' : ' and does not know this worker';
  const message = `a failover has replaced the server by one without the latest writes${which}`;
  const doubts = `${lost} grades that this worker sent are in doubt`;
  return new LedgerError('failover', place, `${message}: ${doubts}`);
}
