import type { RowRecord, RunRow, State } from '../ledger.ts';
import { namesOf, type OutcomeColumns, ROW, toOutcome } from '../columns.ts';
import { SHARED_OUTCOME } from './columns.ts';

/**
 * A row stands where the heaviest of its attempts does: the last one that had an effect, or may have
 * had; else the last that was refused, else the last that was not sent. So an attempt that came to
 * nothing takes no doubt and no record away.
 */
export const WEIGHT = `CASE outcome.state WHEN 'not_sent' THEN 0 WHEN 'refused' THEN 1 ELSE 2 END`;

/** Where a row stands, as the attempt says that it stands by. */
export const ROW_STATE = `coalesce(outcome.state, CASE WHEN outcome.id IS NULL THEN 'not_sent' ELSE 'in_doubt' END)`;

/** The rows of a run as `row`, each with the attempt that it stands by as `outcome`. */
export const ROWS = `
  lectern.run_rows AS row LEFT JOIN LATERAL (
    SELECT attempts.id, attempts.worker, outcome.*
    FROM lectern.attempts LEFT JOIN lectern.outcomes AS outcome ON outcome.attempt = attempts.id
    WHERE attempts.run = row.run AND attempts.line = row.line
    ORDER BY ${WEIGHT} DESC, attempts.id DESC LIMIT 1
  ) AS outcome ON true`;

export const ROW_COLUMNS = `${namesOf(ROW, 'row')}, ${ROW_STATE} AS row_state,
  outcome.id AS attempt, outcome.worker, ${namesOf(SHARED_OUTCOME, 'outcome')}`;

export interface RowColumns extends RunRow, OutcomeColumns {
  readonly row_state: State;
  readonly attempt: number | null;
  readonly worker: number | null;
}

/** `tries` is told of a row that is claimed. */
export function toRow(row: RowColumns, tries?: number): RowRecord {
  const { line, member, body, row_state: state, attempt, worker } = row;
  const made = { attempt: attempt ?? undefined, ...(worker === null ? {} : { worker }) };
  const record = { line, member, body, state, ...made };
  return { ...record, outcome: toOutcome(row), ...(tries === undefined ? {} : { tries }) };
}
