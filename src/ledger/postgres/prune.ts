import { IS_ALIVE } from './claim/claim-sql.ts';
import type { Connection } from './connection.ts';
import { checkLedger } from './schema/schema.ts';

export interface PruneOptions {
  /** The minimum age in milliseconds. */
  readonly olderThan: number;
  /** Of one run alone. */
  readonly run?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface Pruned {
  readonly runs: number;
  readonly attempts: number;
}

/**
 * Removes old attempts, and old runs as a whole. It keeps the newest success of each member at each
 * address, everything in doubt, and each run that was not sent completely, with all its attempts.
 * So no row can look as if it was never sent.
 */
export async function prune(connection: Connection, options: PruneOptions): Promise<Pruned> {
  await checkLedger(connection);
  return connection.transaction(async (transaction) => {
    // Rows that are added meanwhile are too new to be removed.
    await transaction.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const { olderThan, run = null, dryRun = false } = options;
    await transaction.query(OLD_RUNS, { olderThan, run });
    await transaction.query(OLD_ATTEMPTS, { olderThan, run });
    const [counted] = await transaction.query<Pruned>(
      'SELECT (SELECT count(*) FROM old_runs) AS runs, (SELECT count(*) FROM old_attempts) AS attempts',
    );
    for (const sql of dryRun ? [] : REMOVALS) await transaction.query(sql);
    return counted ?? { runs: 0, attempts: 0 };
  });
}

const CUTOFF = `clock_timestamp() - :olderThan * interval '1 millisecond'`;

/** Runs that were sent completely, with nothing in doubt and no recent attempts. */
const OLD_RUNS = `
  CREATE TEMPORARY TABLE old_runs ON COMMIT DROP AS
  SELECT id FROM lectern.runs
  WHERE complete AND digest IS NOT NULL AND time < ${CUTOFF} AND (:run::bigint IS NULL OR id = :run)
    AND NOT EXISTS (SELECT FROM lectern.workers WHERE workers.run = runs.id AND ${IS_ALIVE})
    AND NOT EXISTS (SELECT FROM lectern.attempts
      LEFT JOIN lectern.outcomes AS outcome ON outcome.attempt = attempts.id
      WHERE attempts.run = runs.id
        AND (attempts.time >= ${CUTOFF} OR coalesce(outcome.state, 'in_doubt') = 'in_doubt'))`;

const OLD_ATTEMPTS = `
  CREATE TEMPORARY TABLE old_attempts ON COMMIT DROP AS
  SELECT attempts.id FROM lectern.attempts JOIN lectern.outcomes AS outcome
    ON outcome.attempt = attempts.id
  WHERE attempts.time < ${CUTOFF} AND outcome.state <> 'in_doubt'
    AND CASE WHEN attempts.run IS NULL THEN :run::bigint IS NULL
      ELSE attempts.run IN (SELECT id FROM old_runs)
        OR (:run IS NULL OR attempts.run = :run)
          AND NOT EXISTS (SELECT FROM lectern.runs WHERE runs.id = attempts.run) END
    AND NOT (outcome.state = 'success' AND NOT EXISTS (
      SELECT FROM lectern.attempts AS later JOIN lectern.outcomes AS its ON its.attempt = later.id
      WHERE later.member = attempts.member AND later.target = attempts.target
        AND later.id > attempts.id AND its.state = 'success'))`;

const REMOVALS = [
  'DELETE FROM lectern.outcomes WHERE attempt IN (SELECT id FROM old_attempts)',
  'DELETE FROM lectern.attempts WHERE id IN (SELECT id FROM old_attempts)',
  ...['run_rows', 'parts', 'passes', 'workers'].map(
    (table) => `DELETE FROM lectern.${table} WHERE run IN (SELECT id FROM old_runs)`,
  ),
  'DELETE FROM lectern.runs WHERE id IN (SELECT id FROM old_runs)',
];
