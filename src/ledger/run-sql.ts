/** The queries over runs and their rows that both stores share. */
import { type Dialect, IS_WITHDRAWN, joinKnown, knownColumns, stateOf } from './attempt-sql.ts';
import { STATES, weightOf } from './attempt-ledger.ts';
import {
  columnList,
  columnsOf,
  type ColumnTypes,
  type EvidenceColumns,
  type OutcomeColumns,
  parameters,
  ROW,
  RUN,
  select,
  SETTLEMENT,
  settlementToColumns,
  toEvidence,
  toOutcome,
  values,
  WITHDRAWN,
} from './columns.ts';
import type { PlannedRecord, RecordState, RunSummary, Settlement, State } from './ledger.ts';

/** SQL: `weightOf` an attempt; a withdrawn intent weighs less than all. */
const WEIGHT = `CASE WHEN ${IS_WITHDRAWN} THEN -1
  WHEN ${stateOf()} = 'not_sent' THEN ${weightOf('not_sent')}
  WHEN outcome.state = 'refused' THEN ${weightOf('refused')} ELSE ${weightOf('in_doubt')} END`;

/** SQL: whether a row may be sent again. If the course has no such member, that would not help. */
export const IS_SENDABLE = `(outcome.state = 'refused' AND outcome.http = 404) IS NOT TRUE`;

/** SQL: the rows of runs as `row`, each with the attempt that decides its state, if there is one. */
export function runRows(dialect: Pick<Dialect, 'schema'>): string {
  const { schema } = dialect;
  return `${schema}run_rows AS row LEFT JOIN ${schema}attempts ON attempts.id = (
      SELECT attempts.id FROM ${schema}attempts ${joinKnown(dialect)}
      WHERE attempts.run = row.run AND attempts.line = row.line
      ORDER BY ${WEIGHT} DESC, attempts.id DESC LIMIT 1)
    ${joinKnown(dialect)}`;
}

/** SQL: the state of a row of `runRows`. */
export const ROW_STATE = `CASE WHEN attempts.id IS NULL THEN 'not_sent' ELSE ${stateOf()} END`;

/** SQL: whether each row of the run `:run` was sent, or is in doubt: then there is nothing to send. */
export function isComplete({ schema }: Pick<Dialect, 'schema'>): string {
  return `rows = (SELECT count(DISTINCT line) FROM ${schema}attempts ${joinKnown({ schema })}
    WHERE attempts.run = :run AND ${stateOf()} <> 'not_sent')`;
}

/** SQL: finds out whether the run `:run` is complete. */
export function recount(dialect: Pick<Dialect, 'schema'>): string {
  return `UPDATE ${dialect.schema}runs SET complete = ${isComplete(dialect)} WHERE id = :run`;
}

/** SQL: the columns of a row of `runRows`. */
export function rowColumns(dialect: Dialect): string {
  const more = Object.keys(dialect.more).map((name) => `attempts.${name}, `);
  return `${columnList(ROW, 'row')}, ${ROW_STATE} AS row_state, attempts.id AS attempt,
    ${dialect.msOf('attempts.time')} AS made, ${more.join('')}${knownColumns(dialect)}`;
}

/** A row of a run, with the attempt that decides its state. */
export interface RowColumns extends PlannedRecord, OutcomeColumns, EvidenceColumns {
  readonly row_state: State;
  readonly attempt: number | null;
  /** When the attempt was made. */
  readonly made: number | null;
  readonly worker?: number | null;
  readonly tries?: number;
}

export function toRecordState(row: RowColumns): RecordState {
  const { line, member, body, row_state: state, worker, tries } = row;
  // A row whose only attempt was withdrawn counts as not tried.
  const isTried = row.attempt !== null && row.reason !== WITHDRAWN.reason;
  return {
    line,
    member,
    body,
    state,
    attempt: isTried ? (row.attempt ?? undefined) : undefined,
    time: isTried ? (row.made ?? undefined) : undefined,
    outcome: isTried ? toOutcome(row) : undefined,
    evidence: toEvidence(row),
    ...(isTried && typeof worker === 'number' && { worker }),
    ...(tries !== undefined && { tries }),
  };
}

/** How many rows of a run were tried and have the state at this place. */
export interface CountedRows {
  readonly place: number;
  readonly count: number;
}

const PLACES = [...STATES, 'under_way'] as const;

/**
 * SQL: counts the tried rows of the run `:run` by state, in one pass over the attempts. The state of a row
 * is that of its greatest (weight, id), which are packed into one number with 50 bits for the id and 3
 * for the place of the state. `isUnderWay` is whether a living worker awaits the answer.
 */
export function countRows({ schema }: Pick<Dialect, 'schema'>, isUnderWay: string): string {
  const places = PLACES.map((state, place) => `WHEN '${state}' THEN ${place}`).join(' ');
  return `SELECT heaviest % 8 AS place, count(*) AS count FROM (
    SELECT max((${WEIGHT} * ${2 ** 50} + attempts.id) * 8 + CASE
      CASE WHEN ${isUnderWay} THEN 'under_way' ELSE ${stateOf()} END ${places} END) AS heaviest
    FROM ${schema}attempts ${joinKnown({ schema })} WHERE attempts.run = :run GROUP BY attempts.line
  ) AS counted GROUP BY 1`;
}

export function toSummary(rows: number, counted: readonly CountedRows[]): RunSummary {
  const count = (state: (typeof PLACES)[number]): number =>
    counted.find(({ place }) => PLACES[place] === state)?.count ?? 0;
  const [success, failed, underWay] = [count('success'), count('failed'), count('under_way')];
  const [refused, inDoubt, recorded] = [count('refused'), count('in_doubt'), success + failed];
  const notSent = rows - recorded - refused - inDoubt - underWay;
  const summary = { rows, recorded, success, failed, refused, inDoubt, notSent };
  return underWay > 0 ? { ...summary, underWay } : summary;
}

/** SQL: stores a run, with the columns of `runToColumns`; and its rows, which are `:rows`. */
export function storeRun({ schema, timeOf }: Dialect): string {
  const columns = { time: timeOf(':time'), ...parameters(RUN) };
  return `INSERT INTO ${schema}runs ${values(columns)} RETURNING id`;
}

export function storeRows({ schema, givenRows }: Dialect): string {
  return `INSERT INTO ${schema}run_rows ${select({ run: ':run', ...columnsOf('given', ROW) })}
    FROM ${givenRows(':rows', ROW)}`;
}

/** The rows of `:rows`. */
export function rowsToStore(page: readonly PlannedRecord[]): object[] {
  return page.map(({ line, member, body }) => ({ line, member, body }));
}

/**
 * SQL: settles the doubts of attempts that have no answer, and the state that was looked at: of the run
 * `:run`, or of none. `own` are more columns of the settlements.
 */
export function settleRows(
  { schema, givenRows }: Dialect,
  own: ColumnTypes,
  run: number | undefined,
): string {
  const [row, which] = run === undefined ? ['id', 'IS NULL'] : ['line', '= :run'];
  return `INSERT INTO ${schema}settlements ${select({
    ...columnsOf('given', SETTLEMENT),
    attempt: 'attempts.id',
    ...own,
  })}
  FROM ${givenRows(':settlements', { row: 'bigint', before: 'text', ...SETTLEMENT })}
    JOIN ${schema}attempts ON attempts.run ${which} AND attempts.${row} = given.row ${joinKnown({ schema })}
  WHERE ${stateOf()} = given.before AND coalesce(outcome.state, 'in_doubt') = 'in_doubt'
  RETURNING (SELECT attempts.${row} FROM ${schema}attempts WHERE attempts.id = attempt) AS row`;
}

/** The rows of `:settlements`. */
export function settlementRows(settlements: readonly Settlement[]): object[] {
  return settlements.map((each) => {
    const { row, before } = each;
    return { ...settlementToColumns(each), row, before };
  });
}

/** A row of `sameRows`. */
export interface SameRows {
  readonly run: number;
  readonly count: number;
}

/**
 * SQL: the first run for the address `:url` that is not in `:compared` and has rows of the run `:run`, and
 * how many.
 */
export function sameRows({ schema, isOneOf }: Dialect): string {
  return `SELECT other.run, count(*) AS count
  FROM ${schema}runs CROSS JOIN ${schema}run_rows AS other CROSS JOIN ${schema}run_rows AS mine
  WHERE target ->> 'url' = :url AND runs.id <> :run
    AND NOT ${isOneOf('CAST(runs.id AS text)', ':compared')} AND other.run = runs.id
    AND mine.run = :run AND mine.member = other.member AND mine.body = other.body
  GROUP BY other.run ORDER BY other.run LIMIT 1`;
}
