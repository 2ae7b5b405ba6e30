/** The queries over attempts that both stores share, and the conversion of their results. */
import { checkMember } from '../contract/grade-url.ts';
import { originOf } from '../contract/url.ts';
import { shorten } from '../contract/words.ts';
import { fillTemplate } from './address.ts';
import {
  ATTEMPT,
  columnList,
  type ColumnTypes,
  type EvidenceColumns,
  type OutcomeColumns,
  SETTLEMENT,
  toEvidence,
  toOutcome,
  toText,
  type ValuesOf,
  WITHDRAWN,
} from './columns.ts';
import { LedgerError } from './error.ts';
import type {
  AttemptFilter,
  AttemptRecord,
  CredentialKind,
  Intent,
  KnownGrade,
  State,
} from './ledger.ts';

/** The differences between the two stores in SQL. */
export interface Dialect {
  /** Precedes the names of tables. */
  readonly schema: string;
  /** The columns of an outcome, and of an attempt in a shared ledger. */
  readonly outcome: ColumnTypes;
  readonly more: ColumnTypes;
  /** A column of times as milliseconds since the epoch, and the other way round. */
  readonly msOf: (column: string) => string;
  readonly timeOf: (ms: string) => string;
  /** Whether a text is in a list that is a parameter, and that list. */
  readonly isOneOf: (text: string, list: string) => string;
  readonly listOf: (texts: readonly string[]) => unknown;
  /** The rows of a parameter, which is JSON, as `given`; and that JSON. */
  readonly givenRows: (parameter: string, columns: ColumnTypes) => string;
  readonly jsonOf: (rows: readonly object[]) => string;
  /** The column that identifies a target, and its value for an address with the placeholder. */
  readonly targetKey: { readonly column: string; readonly of: (template: string) => string };
}

/**
 * SQL: joins what is known of `attempts`: the `outcome`, and the newest `settlement` of its doubt.
 * `of` begins the names of all three.
 */
export function joinKnown({ schema }: Pick<Dialect, 'schema'>, of = ''): string {
  return `LEFT JOIN ${schema}outcomes AS ${of}outcome ON ${of}outcome.attempt = ${of}attempts.id
    LEFT JOIN ${schema}settlements AS ${of}settlement
      ON ${of}settlement.attempt = ${of}attempts.id AND ${of}settlement.id = (
        SELECT max(newest.id) FROM ${schema}settlements AS newest
        WHERE newest.attempt = ${of}attempts.id)`;
}

/**
 * SQL: the state of an attempt with what `joinKnown` joins: that of the answer, else of the newest
 * settlement, else it is in doubt.
 */
export function stateOf(of = ''): string {
  return `coalesce(nullif(${of}outcome.state, 'in_doubt'), ${of}settlement.verdict, 'in_doubt')`;
}

/** SQL: the columns of what `joinKnown` joins. */
export function knownColumns({ outcome, msOf }: Pick<Dialect, 'outcome' | 'msOf'>): string {
  return `${stateOf()} AS known_state, ${columnList(outcome, 'outcome')},
    ${columnList(SETTLEMENT, 'settlement')}, ${msOf('settlement.time')} AS evidence_time`;
}

/** A row of `knownColumns`. */
interface Known extends OutcomeColumns, EvidenceColumns {
  readonly known_state: State;
}

/** SQL: when an attempt was made, to compare it: an imported one has a later number than its time. */
export function madeAt(of = ''): string {
  return `(${of}attempts.time, ${of}attempts.id)`;
}

/** SQL: whether one of `later_attempts` sent the grade of one of `attempts` again, and it was recorded. */
export const IS_SENT_AGAIN = `later_attempts.member = attempts.member
  AND later_attempts.target = attempts.target AND ${madeAt('later_')} > ${madeAt()}
  AND later_attempts.body = attempts.body AND ${stateOf('later_')} IN ('success', 'failed')`;

/**
 * SQL: whether one of `attempts`, with what `joinKnown` joins, is still in doubt. It is not if the
 * same grade was sent again and recorded, even as `failed`.
 */
export function stillInDoubt({ schema }: Pick<Dialect, 'schema'>): string {
  return `${stateOf()} = 'in_doubt' AND NOT EXISTS (
    SELECT 1 FROM ${schema}attempts AS later_attempts ${joinKnown({ schema }, 'later_')}
    WHERE ${IS_SENT_AGAIN})`;
}

/** Throws if an intent names a member that no store can hold. */
export function checkIntent({ member }: Pick<Intent, 'member'>, place: string): void {
  if (member === '' || !checkMember(member)) return;
  const message = `the member ${JSON.stringify(shorten(member))} cannot be stored`;
  throw new LedgerError('refused', place, message);
}

/** The query of one page: from the id `after` on, as many attempts as `count`. */
export function selectAttempts(dialect: Dialect, filter: AttemptFilter) {
  const { member, states, since, run, newestFirst = false } = filter;
  const { schema, more, msOf, timeOf, isOneOf, listOf } = dialect;
  const { target: _, ...own } = ATTEMPT;
  const conditions = [`attempts.id ${newestFirst ? '<' : '>'} :after`];
  const values: Record<string, unknown> = {};
  const where = (condition: string, name: string, value: unknown): void => {
    conditions.push(condition);
    values[name] = value;
  };
  if (member !== undefined) where('attempts.member = :member', 'member', member);
  if (run !== undefined) where('attempts.run = :run', 'run', run);
  if (since !== undefined) where(`attempts.time >= ${timeOf(':since')}`, 'since', since);
  if (states) {
    where(isOneOf(stateOf(), ':states'), 'states', listOf(states));
  }
  if (filter.withdrawn === false) conditions.push(`NOT ${IS_WITHDRAWN}`);
  if (filter.stillInDoubt) {
    conditions.push(`(${stateOf()} <> 'in_doubt' OR ${stillInDoubt(dialect)})`);
  }
  const sql = `
    SELECT attempts.id, ${msOf('attempts.time')} AS time, url, location, context,
      ${columnList({ ...own, ...more }, 'attempts')}, ${msOf('outcome.time')} AS "answeredAt",
      ${knownColumns(dialect)}
    FROM ${schema}attempts JOIN ${schema}targets ON targets.id = attempts.target
      ${joinKnown(dialect)}
    WHERE ${conditions.join(' AND ')}
    ORDER BY attempts.id ${newestFirst ? 'DESC' : 'ASC'} LIMIT :count`;
  return { sql, values };
}

/** A row of `selectAttempts`. */
export interface AttemptColumns
  extends Omit<ValuesOf<typeof ATTEMPT>, 'target' | 'credential'>, Known {
  readonly id: number;
  readonly time: number;
  readonly url: string;
  readonly location: string | null;
  readonly context: string | null;
  readonly credential: CredentialKind;
  readonly answeredAt: number | null;
  readonly worker?: number | null;
}

export function toAttempt(row: AttemptColumns): AttemptRecord {
  const url = fillTemplate(row.url, row.member);
  return {
    id: row.id,
    time: row.time,
    url,
    origin: originOf(url) ?? '',
    member: row.member,
    location: row.location ?? undefined,
    context: row.context ?? undefined,
    credential: row.credential,
    body: row.body,
    run: row.run ?? undefined,
    line: row.line ?? undefined,
    state: row.known_state,
    outcome: toOutcome(row),
    answeredAt: row.answeredAt ?? undefined,
    evidence: toEvidence(row),
    ...(typeof row.worker === 'number' && { worker: row.worker }),
  };
}

const ASKED = { place: 'int', member: 'text', target: 'text' } as const;
const KNOWN = { body: ATTEMPT.body, run: ATTEMPT.run } as const;

/**
 * For each member and target of `:asked`: the last success, before the first attempt of the run `:before`
 * if that is not null, and the attempts still in doubt.
 */
export function selectKnown(dialect: Dialect): string {
  const { schema, msOf, givenRows, targetKey } = dialect;
  return `
    SELECT given.place, attempts.id, ${msOf('attempts.time')} AS time, ${columnList(KNOWN, 'attempts')},
      ${msOf('runs.time')} AS planned, ${knownColumns(dialect)}
    FROM ${givenRows(':asked', ASKED)} CROSS JOIN ${schema}targets CROSS JOIN ${schema}attempts
      LEFT JOIN ${schema}runs ON runs.id = attempts.run ${joinKnown(dialect)}
    WHERE targets.${targetKey.column} = given.target
      AND attempts.member = given.member AND attempts.target = targets.id
      AND (${stillInDoubt(dialect)} OR attempts.id = (
        SELECT last_attempts.id
        FROM ${schema}attempts AS last_attempts ${joinKnown(dialect, 'last_')}
        WHERE last_attempts.member = given.member AND last_attempts.target = targets.id
          AND ${stateOf('last_')} = 'success' AND NOT EXISTS (
            SELECT 1 FROM ${schema}attempts AS own_attempts
            WHERE own_attempts.member = given.member AND own_attempts.target = targets.id
              AND own_attempts.run = CAST(:before AS bigint)
              AND ${madeAt('own_')} <= ${madeAt('last_')})
        ORDER BY last_attempts.time DESC, last_attempts.id DESC LIMIT 1))
    ORDER BY attempts.time, attempts.id`;
}

/** A row of `selectKnown`. */
export interface KnownColumns extends ValuesOf<typeof KNOWN>, Known {
  readonly place: number;
  readonly id: number;
  readonly time: number;
  /** When the run was planned. */
  readonly planned: number | null;
}

/** The known grade from the attempts at one address, in the order they were made. */
export function toKnown(rows: readonly KnownColumns[]): KnownGrade {
  const last = rows.find(({ known_state: state }) => state === 'success');
  return {
    last: last && {
      id: last.id,
      time: last.time,
      body: last.body,
      run: last.run ?? undefined,
      planned: last.planned ?? undefined,
      attempt: last.state === 'success' ? toText(last) : undefined,
    },
    doubts: rows
      .filter(({ known_state: state }) => state !== 'success')
      .map(({ id, time, body, run, planned }) => {
        return { id, time, body, run: run ?? undefined, planned: planned ?? undefined };
      }),
  };
}

/** SQL: whether an intent was withdrawn. */
export const IS_WITHDRAWN = `coalesce(outcome.reason, '') = '${WITHDRAWN.reason}'`;
