/**
 * The columns of a ledger's tables: INSERT, parameters and SELECT of both stores are made from these
 * lists. The types are PostgreSQL's, which reads rows from JSON; SQLite has the same names.
 */
import type {
  AttemptRecord,
  Evidence,
  FiledAttempt,
  GivenRun,
  Outcome,
  Settlement,
  State,
} from './ledger.ts';

/** The columns of an attempt, besides its id and time. */
export const ATTEMPT = {
  target: 'bigint',
  member: 'text',
  credential: 'text',
  body: 'text',
  run: 'bigint null',
  line: 'bigint null',
} as const;

/** The columns of an outcome, besides its attempt and time. */
export const OUTCOME = {
  state: 'text',
  http: 'int null',
  code: 'text null',
  reason: 'text null',
  text: 'text null',
} as const;

/** The columns of a settlement, besides its id, attempt and time. */
export const SETTLEMENT = {
  verdict: 'text',
  source: 'text null',
  digest: 'text null',
  export_line: 'bigint null',
  because: 'text null',
  who: 'text',
} as const;

/** The columns of a run, besides its id and time. */
export const RUN = {
  target: 'json',
  credential: 'text',
  source: 'text',
  options: 'json',
  rows: 'bigint',
  digest: 'text',
} as const;

/** The columns of a row of a run. */
export const ROW = { line: 'bigint', member: 'text', body: 'text' } as const;
export const RUN_ROW = { run: 'bigint', ...ROW } as const;

export type ColumnTypes = Readonly<Record<string, string>>;

export type ValuesOf<Table extends ColumnTypes> = {
  readonly [Name in keyof Table]: Table[Name] extends `${infer Type} null`
    ? ValueOf<Type> | null
    : ValueOf<Table[Name]>;
};

type ValueOf<Type> = Type extends 'bigint' | 'int' ? number : string;

/** `a, b`, or with a table `it.a, it.b`. */
export function columnList(columns: ColumnTypes, table?: string): string {
  const before = table === undefined ? '' : `${table}.`;
  return Object.keys(columns)
    .map((name) => before + name)
    .join(', ');
}

/** An expression for each column, which selects it from a table. */
export function columnsOf<Table extends ColumnTypes>(
  table: string,
  columns: Table,
): Record<keyof Table, string> {
  return mapped(columns, (name) => `${table}.${name}`);
}

/** A parameter for each column, with its name. */
export function parameters<Table extends ColumnTypes>(columns: Table): Record<keyof Table, string> {
  return mapped(columns, (name) => `:${name}`);
}

function mapped<Table extends ColumnTypes>(columns: Table, of: (name: string) => string) {
  const entries = Object.keys(columns).map((name) => [name, of(name)]);
  return Object.fromEntries(entries) as Record<keyof Table, string>;
}

/** `(a, b) VALUES (x, y)`, for an INSERT of the expression of each column. */
export function values(expressions: ColumnTypes): string {
  return `(${columnList(expressions)}) VALUES (${Object.values(expressions).join(', ')})`;
}

/** `(a, b) SELECT x, y`, to insert the expressions from a query. */
export function select(expressions: ColumnTypes): string {
  return `(${columnList(expressions)}) SELECT ${Object.values(expressions).join(', ')}`;
}

/** For a column that holds a description of an attempt, not its record. */
export function withoutNul<Text extends string | null>(text: Text): Text {
  return (text?.replaceAll('\0', '\uFFFD') ?? null) as Text;
}

/** The outcome of an intent that was withdrawn. */
export const WITHDRAWN = { kind: 'not_sent', reason: 'withdrawn before it was sent' } as const;

export function outcomeToColumns(outcome: Outcome): ValuesOf<typeof OUTCOME> {
  switch (outcome.kind) {
    case 'recorded': {
      const { status: state, http, attempt: text } = outcome;
      return { state, http, code: null, reason: null, text };
    }
    case 'refused': {
      const { kind: state, http, code = null, text } = outcome;
      return { state, http, code, reason: null, text };
    }
    case 'in_doubt':
    case 'not_sent': {
      const { kind: state, http = null, text = null } = outcome;
      return { state, http, code: null, reason: withoutNul(outcome.reason), text };
    }
  }
}

/** A row of outcomes; all null if there is none. A text with a NUL is bytes. */
export interface OutcomeColumns extends Omit<ValuesOf<typeof OUTCOME>, 'state' | 'text'> {
  readonly state: State | null;
  readonly text: string | Uint8Array | null;
  /** In PostgreSQL, whose text columns cannot hold a NUL. */
  readonly bytes?: Uint8Array | null;
}

export function toOutcome(columns: OutcomeColumns): Outcome | undefined {
  const { state, http, code, reason } = columns;
  const text = toText(columns);
  switch (state) {
    case null:
      return undefined;
    case 'success':
    case 'failed':
      return { kind: 'recorded', status: state, http: http ?? 0, attempt: text ?? '' };
    case 'refused':
      return { kind: state, http: http ?? 0, code: code ?? undefined, text: text ?? '' };
    default:
      return { kind: state, reason: reason ?? '', http: http ?? undefined, text };
  }
}

export function toText(columns: Pick<OutcomeColumns, 'text' | 'bytes'>): string | undefined {
  const stored = columns.bytes ?? columns.text;
  if (stored === null) return undefined;
  return typeof stored === 'string' ? stored : Buffer.from(stored).toString();
}

export function runToColumns({ time, credential, source, rows, digest, ...run }: GivenRun) {
  const [target, options] = [JSON.stringify(run.target), JSON.stringify(run.options)];
  return { time, target, credential, source, options, rows, digest };
}

export function settlementToColumns({
  state: verdict,
  source,
  digest,
  line,
  because,
}: Omit<Settlement, 'row' | 'before'>) {
  return {
    verdict,
    source: withoutNul(source),
    digest,
    export_line: line,
    because: withoutNul(because),
  };
}

/** The newest settlement of an attempt; all null if there is none. */
export type EvidenceColumns = {
  readonly [Name in keyof typeof SETTLEMENT]: ValuesOf<typeof SETTLEMENT>[Name] | null;
} & { readonly evidence_time: number | null };

/** Undefined where an answer decides. */
export function toEvidence(row: EvidenceColumns & OutcomeColumns): Evidence | undefined {
  if (row.verdict === null || (row.state ?? 'in_doubt') !== 'in_doubt') return undefined;
  return evidenceOf(row);
}

export function evidenceOf(row: EvidenceColumns): Evidence {
  const { verdict, source, digest, export_line: line, because, who, evidence_time: at } = row;
  const state = verdict as Evidence['state'];
  return { state, source, digest, line, because, by: who ?? '', at: at ?? 0 };
}

/** An attempt as it is handed on to another store, with all settlements of its doubt. */
export function filedAttempt(
  attempt: AttemptRecord,
  evidence: readonly Evidence[] = [],
): FiledAttempt {
  const { time, url, location = null, context = null, member, credential, body } = attempt;
  const { line = 0, outcome, answeredAt = time } = attempt;
  const made = { time, url, location, context, member, credential, body, line };
  return {
    ...made,
    outcome: outcome ? { time: answeredAt, ...outcomeToColumns(outcome) } : null,
    evidence,
  };
}
