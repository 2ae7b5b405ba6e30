import { LedgerError } from '../error.ts';
import type {
  ClaimOptions,
  CredentialKind,
  NewRun,
  OpenRows,
  RowFilter,
  RowRecord,
  RunClaim,
  RunDraft,
  RunLedger,
  RunRecord,
  RunSummary,
} from '../ledger.ts';
import { byPages } from '../pages.ts';
import type { Claim, ClaimSettings } from './claim.ts';
import { takeClaim } from './take-claim.ts';
import { msOf } from './columns.ts';
import { namesOf, RUN, type ValuesOf } from '../columns.ts';
import type { Connection } from './connection.ts';
import type { Values } from './named.ts';
import { beginDraft, type Draft } from './drafts.ts';
import { readOpenRows } from './open-rows.ts';
import { ROW_COLUMNS, ROW_STATE, type RowColumns, ROWS, toRow } from './rows.ts';
import { summarise } from './summary.ts';
import { addressOf, type Targets } from './targets.ts';
import type { Worker } from './write-sql.ts';

/** Every bulk run of all machines, in the tables `runs` and `run_rows` (never changed). */
export class Runs implements RunLedger {
  readonly #connection: Connection;
  readonly #settings: ClaimSettings;
  readonly #targets: Targets;
  readonly #drafts = new Map<number, Draft>();
  readonly #claims = new Map<number, Claim>();

  constructor(connection: Connection, settings: ClaimSettings, targets: Targets) {
    this.#connection = connection;
    this.#settings = settings;
    this.#targets = targets;
  }

  /** Who sends a run in this process. */
  workerOf(run: number | undefined): Worker | undefined {
    return run === undefined ? undefined : this.#claims.get(run)?.worker;
  }

  async createRun(run: NewRun): Promise<RunDraft> {
    const draft = await beginDraft(this.#connection, run, (id) => this.#sealed(id));
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

  async #sealed(id: number): Promise<RunRecord> {
    return this.#record(await this.#sealedColumns(id));
  }

  async #sealedColumns(id: number): Promise<RunColumns> {
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
    const run = await this.#sealedColumns(id);
    // What the first rows need is there when they are.
    this.#connection.warmUp();
    this.#targets.idOf(addressOf(run.target)).catch(() => {});
    const claim = await takeClaim(this.#connection, this.#settings, run, pid, wanted);
    this.#claims.set(id, claim);
    return claim;
  }

  openRows(url: string): Promise<OpenRows> {
    return readOpenRows(this.#connection, url);
  }

  rows(run: number, { states, limit }: RowFilter = {}): AsyncIterable<RowRecord> {
    const sql = `
      SELECT ${ROW_COLUMNS} FROM ${ROWS}
      WHERE row.run = :run AND (:states::text[] IS NULL OR ${ROW_STATE} = ANY (:states))
        AND row.line > :after
      ORDER BY row.line LIMIT :count`;
    return byPages({
      page: async (after, count) => {
        const values = { run, states: states ?? null, after, count };
        return (await this.#query<RowColumns>(run, sql, values)).map((row) => toRow(row));
      },
      keyOf: ({ line }) => line,
      start: Number.MIN_SAFE_INTEGER,
      limit,
    });
  }

  /** A run that is being filled is seen by its own transaction only. */
  #query<Row extends object>(run: number, sql: string, values: Values): Promise<Row[]> {
    const transaction = this.#drafts.get(run)?.transaction;
    return transaction?.isOpen
      ? transaction.query<Row>(sql, values)
      : // A page of few rows may be found by looking through the whole run.
        this.#connection.query<Row>(sql, values, { long: true });
  }

  async summary(run: number): Promise<RunSummary> {
    return (await this.#sealed(run)).summary;
  }

  /** Throws what a failover has lost of a claim. */
  check(): void {
    for (const { failure } of this.#claims.values()) if (failure) throw failure;
  }

  /** Ends what this process has under way. */
  async close(): Promise<void> {
    for (const claim of this.#claims.values()) await claim.release();
    for (const draft of this.#drafts.values()) await draft.discard();
  }

  async #record({ rows, ...run }: RunColumns): Promise<RunRecord> {
    return { ...run, summary: await summarise(this.#connection, run.id, rows) };
  }
}

const SELECT_RUNS = `
  SELECT id, ${msOf('time')} AS time, ${namesOf(RUN)}
  FROM lectern.runs WHERE digest IS NOT NULL`;

interface RunColumns
  extends Omit<ValuesOf<typeof RUN>, 'target' | 'options'>, Pick<RunRecord, 'target' | 'options'> {
  readonly id: number;
  readonly time: number;
  readonly credential: CredentialKind;
}
