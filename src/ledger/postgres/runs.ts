import { IS_SENDABLE, type RowColumns, toRecordState, toSummary, WEIGHT } from '../attempt-sql.ts';
import { columnList, ROW, RUN, type ValuesOf } from '../columns.ts';
import { LedgerError } from '../error.ts';
import type {
  ClaimOptions,
  CredentialKind,
  NewRun,
  Overlap,
  RecordFilter,
  RecordState,
  RunClaim,
  RunDraft,
  RunLedger,
  RunRecord,
  RunSummary,
  State,
  UnsentRecords,
} from '../ledger.ts';
import { byPages } from '../pages.ts';
import { IS_ALIVE } from './claim/claim-sql.ts';
import type { Claim, ClaimSettings } from './claim/claim.ts';
import { takeClaim } from './claim/take-claim.ts';
import { givenRows, jsonRows, msOf, ROW_COLUMNS, ROW_STATE, ROWS } from './columns.ts';
import type { Connection, Values } from './connection.ts';
import type { Worker } from './outbox/outbox.ts';
import { beginDraft, type PostgresDraft, RUNS_FOR } from './write/drafts.ts';
import { type PostgresTargets, targetAddress } from './write/targets.ts';

/** Every bulk run of all machines, in the tables `runs` and `run_rows` (never changed). */
export class PostgresRuns implements RunLedger {
  readonly #connection: Connection;
  readonly #settings: ClaimSettings;
  readonly #targets: PostgresTargets;
  readonly #drafts = new Map<number, PostgresDraft>();
  readonly #claims = new Map<number, Claim>();

  constructor(connection: Connection, settings: ClaimSettings, targets: PostgresTargets) {
    this.#connection = connection;
    this.#settings = settings;
    this.#targets = targets;
  }

  /** The worker that sends a run in this process. */
  workerOf(run: number | undefined): Worker | undefined {
    return run === undefined ? undefined : this.#claims.get(run)?.worker;
  }

  async createRun(run: NewRun): Promise<RunDraft> {
    const sealed = async (id: number) => this.#record(await this.#sealed(id));
    const draft = await beginDraft(this.#connection, run, sealed);
    this.#drafts.set(draft.id, draft);
    return draft;
  }

  async runs(limit?: number): Promise<RunRecord[]> {
    const sql = `${SELECT_RUNS} ORDER BY id DESC LIMIT :limit::bigint`;
    const rows = await this.#connection.query<RunColumns>(sql, { limit: limit ?? null });
    const records: RunRecord[] = [];
    for (const row of rows) records.push(await this.#record(row));
    return records;
  }

  async run(id: number): Promise<RunRecord | undefined> {
    const row = await this.#columns(id);
    return row && this.#record(row);
  }

  async #sealed(id: number): Promise<RunColumns> {
    const row = await this.#columns(id);
    if (!row) throw new LedgerError('refused', this.#connection.place, `there is no run ${id}`);
    return row;
  }

  async #columns(id: number): Promise<RunColumns | undefined> {
    if (!Number.isSafeInteger(id)) return undefined;
    const sql = `${SELECT_RUNS} AND id = :id`;
    const [row] = await this.#connection.query<RunColumns>(sql, { id });
    return row;
  }

  async claimRun(id: number, pid: number, wanted: ClaimOptions = {}): Promise<RunClaim> {
    const run = await this.#sealed(id);
    // So that the first rows find connections ready.
    this.#connection.warmUp();
    this.#targets.idOf(targetAddress(run.target)).catch(() => {});
    const claim = await takeClaim(this.#connection, this.#settings, run, pid, wanted);
    this.#claims.set(id, claim);
    return claim;
  }

  openRows(url: string): Promise<UnsentRecords> {
    return readOpenRows(this.#connection, url);
  }

  rows(run: number, { states, limit, sendable }: RecordFilter = {}): AsyncIterable<RecordState> {
    const sql = `
      SELECT ${ROW_COLUMNS} FROM ${ROWS}
      WHERE row.run = :run AND (:states::text[] IS NULL OR ${ROW_STATE} = ANY (:states))
        ${sendable ? `AND ${IS_SENDABLE}` : ''} AND row.line > :after
      ORDER BY row.line LIMIT :count`;
    return byPages({
      page: async (after, count) => {
        const values = { run, states: states ?? null, after, count };
        return (await this.#query<RowColumns>(run, sql, values)).map(toRecordState);
      },
      keyOf: ({ line }) => line,
      start: Number.MIN_SAFE_INTEGER,
      limit,
    });
  }

  /** A draft is visible to its own transaction only. */
  #query<Row extends object>(run: number, sql: string, values: Values): Promise<Row[]> {
    const transaction = this.#drafts.get(run)?.transaction;
    return transaction?.isOpen
      ? transaction.query<Row>(sql, values)
      : // A page of few rows may be faster by reading the whole run.
        this.#connection.query<Row>(sql, values, { long: true });
  }

  /** Its workers are in `workers`, and others may join them. */
  async sender(): Promise<undefined> {
    return undefined;
  }

  async summary(run: number): Promise<RunSummary> {
    return (await this.#record(await this.#sealed(run))).summary;
  }

  /** Throws if a failover has lost records of a claim. */
  check(): void {
    for (const { failure } of this.#claims.values()) if (failure) throw failure;
  }

  async close(): Promise<void> {
    for (const claim of this.#claims.values()) await claim.release();
    for (const draft of this.#drafts.values()) await draft.discard();
  }

  async #record({ rows, ...run }: RunColumns): Promise<RunRecord> {
    return { ...run, summary: await summariseRun(this.#connection, run.id, rows) };
  }
}

const SELECT_RUNS = `
  SELECT id, ${msOf('time')} AS time, ${columnList(RUN)}
  FROM lectern.runs WHERE digest IS NOT NULL`;

interface RunColumns
  extends Omit<ValuesOf<typeof RUN>, 'target' | 'options'>, Pick<RunRecord, 'target' | 'options'> {
  readonly id: number;
  readonly time: number;
  readonly credential: CredentialKind;
}

/** The number of a run's rows in each state. */
export async function summariseRun(
  connection: Pick<Connection, 'query'>,
  run: number,
  rows: number,
): Promise<RunSummary> {
  const counted = await connection.query<{ state: State; count: number }>(
    SUMMARY,
    { run },
    { long: true },
  );
  return toSummary(rows, counted);
}

/** In one pass over the attempts: the state of a row is that of its greatest (weight, id, state). */
const STATES_IN_ORDER = `ARRAY['not_sent', 'refused', 'in_doubt', 'under_way', 'failed', 'success']`;
const SUMMARY = `
  SELECT (${STATES_IN_ORDER})[(heaviest % 8)::int] AS state, count(*) AS count FROM (
    SELECT max(((${WEIGHT})::bigint * 1125899906842624 + attempts.id) * 8
      + array_position(${STATES_IN_ORDER}, coalesce(outcome.state, CASE WHEN attempts.worker IN (
        SELECT id FROM lectern.workers WHERE workers.run = :run AND ${IS_ALIVE})
        THEN 'under_way' ELSE 'in_doubt' END))) AS heaviest
    FROM lectern.attempts LEFT JOIN lectern.outcomes AS outcome ON outcome.attempt = attempts.id
    WHERE attempts.run = :run GROUP BY attempts.line
  ) AS rows GROUP BY 1`;

async function readOpenRows(connection: Connection, url: string): Promise<UnsentRecords> {
  const runs = await connection.query<{ id: number; complete: boolean }>(RUNS_FOR, { url });
  const open = runs.filter(({ complete }) => !complete).map(({ id }) => id);
  return {
    runs: runs.map(({ id }) => id),
    overlaps: async (rows) => {
      if (open.length === 0 || rows.length === 0) return [];
      const planned = rows.map(({ member, body }) => ({ member, body }));
      const values = { open, planned: jsonRows(planned) };
      return connection.query<Overlap>(OVERLAPS, values, { long: true });
    },
    close: () => {},
  };
}

const { member, body } = ROW;
const PLANNED = { member, body };

const OVERLAPS = `
  SELECT row.run, count(*) AS members, count(*) FILTER (WHERE row.body = given.body) AS same
  FROM ${givenRows(':planned', PLANNED)}, ${ROWS}
  WHERE row.member = given.member AND row.run = ANY (:open::bigint[])
    AND ${ROW_STATE} = 'not_sent'
  GROUP BY row.run ORDER BY row.run`;
