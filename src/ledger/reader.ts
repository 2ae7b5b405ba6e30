/** The part of a ledger that reads, which is the same in both stores. */
import { toTemplate } from './address.ts';
import {
  type AttemptColumns,
  type Dialect,
  type KnownColumns,
  selectAttempts,
  selectKnown,
  toAttempt,
  toKnown,
} from './attempt-sql.ts';
import { columnList, RUN, type ValuesOf } from './columns.ts';
import { LedgerError, MOVE_ASIDE } from './error.ts';
import type {
  AttemptLedger,
  CredentialKind,
  RecordFilter,
  RecordState,
  RunLedger,
  RunRecord,
  StoredRun,
} from './ledger.ts';
import { byPages, type PageOptions, pagesOf } from './pages.ts';
import {
  type CountedRows,
  IS_SENDABLE,
  ROW_STATE,
  type RowColumns,
  rowColumns,
  runRows,
  toRecordState,
  toSummary,
} from './run-sql.ts';

/** Runs a query, which may read a whole run unless it is short: a page of few rows may be faster so. */
export type Read = <Row extends object>(
  sql: string,
  values: Record<string, unknown>,
  options?: { readonly isShort?: boolean },
) => Promise<readonly Row[]>;

export type AttemptReads = Pick<AttemptLedger, 'attempts' | 'knownGrades'>;
export type AttemptWrites = Omit<AttemptLedger, keyof AttemptReads>;

/** The part of a ledger that reads attempts. */
function attemptReader(dialect: Dialect, read: Read): AttemptReads {
  return {
    attempts(filter = {}) {
      const { newestFirst = false, limit } = filter;
      const { sql, values } = selectAttempts(dialect, filter);
      return byPages({
        page: async (after, count) =>
          (await read<AttemptColumns>(sql, { ...values, after, count })).map(toAttempt),
        keyOf: ({ id }) => id,
        start: newestFirst ? Number.MAX_SAFE_INTEGER : 0,
        limit,
      });
    },

    async knownGrades(asked, beforeRun) {
      const given = asked.map((address, place) => {
        return { place, member: address.member, target: dialect.targetKey.of(toTemplate(address)) };
      });
      const values = { asked: dialect.jsonOf(given), before: beforeRun ?? null };
      const known: KnownColumns[][] = asked.map(() => []);
      const rows = await read<KnownColumns>(selectKnown(dialect), values, { isShort: true });
      for (const row of rows) known[row.place]?.push(row);
      return known.map(toKnown);
    },
  };
}

interface RunColumns extends ValuesOf<typeof RUN> {
  readonly id: number;
  readonly time: number;
  readonly credential: CredentialKind;
}

interface RunStore {
  readonly place: string;
  /** Counts the tried rows of the run `:run` by state. */
  readonly countRows: string;
  readonly read: Read;
}

/** The part of a ledger that reads attempts and runs. */
export interface LedgerReader
  extends AttemptReads, Pick<RunLedger, 'runs' | 'run' | 'runsFor' | 'rows' | 'pages' | 'summary'> {
  /** Both reject if there is no such run; the first does not count its rows. */
  stored(id: number): Promise<StoredRun>;
  record(id: number): Promise<RunRecord>;
}

export function ledgerReader(dialect: Dialect, { place, countRows, read }: RunStore): LedgerReader {
  const selectRuns = `SELECT id, ${dialect.msOf('time')} AS time, ${columnList(RUN)}
    FROM ${dialect.schema}runs`;

  const toRun = (run: RunColumns) => {
    try {
      const target = JSON.parse(run.target) as RunRecord['target'];
      const options = JSON.parse(run.options) as RunRecord['options'];
      return { ...run, target, options };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      // Damaged without SQLite noticing.
      const message = `the ledger is damaged (the columns of a run): ${MOVE_ASIDE}`;
      throw new LedgerError('corrupt', place, message, error);
    }
  };

  const find = async (id: number) => {
    if (!Number.isSafeInteger(id)) return undefined;
    const [row] = await read<RunColumns>(`${selectRuns} WHERE id = :id`, { id });
    return row && toRun(row);
  };

  const stored = async (id: number) => {
    const run = await find(id);
    if (!run) throw new LedgerError('refused', place, `there is no run ${id}`);
    return run;
  };

  const counted = async ({ rows, ...run }: ReturnType<typeof toRun>): Promise<RunRecord> => {
    const states = await read<CountedRows>(countRows, { run: run.id });
    return { ...run, summary: toSummary(rows, states) };
  };

  const rowPages = (
    run: number,
    { states, limit, sendable }: RecordFilter = {},
  ): PageOptions<RecordState> => {
    const sql = `
      SELECT ${rowColumns(dialect)} FROM ${runRows(dialect)}
      WHERE row.run = :run ${states ? `AND ${dialect.isOneOf(ROW_STATE, ':states')}` : ''}
        ${sendable ? `AND ${IS_SENDABLE}` : ''} AND row.line > :after
      ORDER BY row.line LIMIT :count`;
    const wanted = { run, ...(states && { states: dialect.listOf(states) }) };
    return {
      page: async (after, count) =>
        (await read<RowColumns>(sql, { ...wanted, after, count })).map(toRecordState),
      keyOf: ({ line }) => line,
      start: Number.MIN_SAFE_INTEGER,
      limit,
    };
  };

  const reader: LedgerReader = {
    ...attemptReader(dialect, read),

    async runs(limit) {
      const newest = limit === undefined ? '' : 'LIMIT :limit';
      const sql = `${selectRuns} ORDER BY time DESC, id DESC ${newest}`;
      const rows = await read<RunColumns>(sql, limit === undefined ? {} : { limit });
      const records: RunRecord[] = [];
      for (const row of rows) records.push(await counted(toRun(row)));
      return records;
    },

    async run(id) {
      const run = await find(id);
      return run && counted(run);
    },

    async runsFor(url) {
      const sql = `SELECT id, complete FROM ${dialect.schema}runs WHERE target ->> 'url' = :url`;
      const found = await read<{ id: number; complete: boolean | number }>(sql, { url });
      return found.map(({ id, complete }) => ({ id, isComplete: Boolean(complete) }));
    },

    stored,

    record: async (id) => counted(await stored(id)),

    rows: (run, filter) => byPages(rowPages(run, filter)),

    pages: (run, filter) => pagesOf(rowPages(run, filter)),

    summary: async (run) => (await reader.record(run)).summary,
  };
  return reader;
}
