import {
  columnsOf,
  NEW_RUN,
  newRunToColumns,
  parameters,
  ROW,
  select,
  values,
} from '../../columns.ts';
import { LedgerError, SameRunError } from '../../error.ts';
import type { NewRun, PlannedRecord, RunDraft, RunRecord } from '../../ledger.ts';
import { givenRows, jsonRows } from '../columns.ts';
import type { Connection, Transaction } from '../connection.ts';

/**
 * A run that is being filled, in one transaction: no other process sees it before it is sealed, and
 * it vanishes if its process ends.
 */
export class PostgresDraft implements RunDraft {
  readonly id: number;
  readonly transaction: Transaction;
  readonly #options: NewRun['options'];
  readonly #place: string;
  readonly #url: string;
  readonly #sealed: (id: number) => Promise<RunRecord>;
  #rows = 0;

  constructor(
    id: number,
    transaction: Transaction,
    { options, target }: Pick<NewRun, 'options' | 'target'>,
    place: string,
    sealed: (id: number) => Promise<RunRecord>,
  ) {
    this.id = id;
    this.transaction = transaction;
    this.#options = options;
    this.#place = place;
    this.#url = target.url;
    this.#sealed = sealed;
  }

  async addRows(rows: readonly PlannedRecord[]): Promise<void> {
    this.#checkOpen();
    await this.transaction.query('SAVEPOINT batch');
    try {
      await insertRows(this.transaction, this.id, rows);
    } catch (error) {
      await this.transaction.query('ROLLBACK TO batch').catch(() => {});
      throw error;
    }
    await this.transaction.query('RELEASE batch');
    this.#rows += rows.length;
  }

  async seal(
    digest: string,
    options: NewRun['options'] = {},
    compared?: readonly number[],
  ): Promise<RunRecord> {
    this.#checkOpen();
    if (compared) await this.#refuseSame(compared);
    await this.transaction.query(
      'UPDATE lectern.runs SET digest = :digest, options = :options, rows = :rows WHERE id = :run',
      {
        run: this.id,
        digest,
        options: JSON.stringify({ ...this.#options, ...options }),
        rows: this.#rows,
      },
    );
    try {
      await this.transaction.end('COMMIT');
    } catch (error) {
      // The answer to the commit was lost: either the run exists, or the commit failed.
      return await this.#sealed(this.id).catch(() => {
        throw error;
      });
    }
    return this.#sealed(this.id);
  }

  /** No other run for the URL is sealed before this one. */
  async #refuseSame(compared: readonly number[]): Promise<void> {
    await this.transaction.lock(LOCK_CLASS, this.#url);
    const runs = await this.transaction.query<{ id: number }>(RUNS_FOR, { url: this.#url });
    const others = runs.map(({ id }) => id).filter((id) => !compared.includes(id));
    if (others.length === 0) return;
    const [same] = await this.transaction.query<{ run: number; count: number }>(SAME_ROWS, {
      run: this.id,
      others,
    });
    if (same) throw new SameRunError(this.#place, same.run, same.count);
  }

  discard(): Promise<void> {
    return this.transaction.end('ROLLBACK');
  }

  #checkOpen(): void {
    if (this.transaction.isOpen) return;
    const message = `run ${this.id} is sealed or discarded: nothing can be added`;
    throw new LedgerError('refused', this.#place, message);
  }
}

/** Adds rows to a run that is being filled. */
export async function insertRows(
  transaction: Transaction,
  run: number,
  rows: readonly PlannedRecord[],
): Promise<void> {
  const lines = rows.map(({ line, member, body }) => ({ line, member, body }));
  await transaction.query(INSERT_ROWS, { run, rows: jsonRows(lines) });
}

const INSERT_ROWS = `
  INSERT INTO lectern.run_rows ${select({ run: ':run', ...columnsOf('given', ROW) })}
  FROM ${givenRows(':rows', ROW)}`;

/** The advisory lock that is held while a run is sealed; its second key is the URL. */
const LOCK_CLASS = 0x6c656378;

/** The runs for a URL. */
export const RUNS_FOR = `
  SELECT id, complete FROM lectern.runs WHERE digest IS NOT NULL AND target ->> 'url' = :url`;

const SAME_ROWS = `
  SELECT other.run, count(*) AS count
  FROM lectern.run_rows AS mine JOIN lectern.run_rows AS other USING (member, body)
  WHERE mine.run = :run AND other.run = ANY (:others::bigint[])
  GROUP BY other.run ORDER BY other.run LIMIT 1`;

export async function beginDraft(
  connection: Connection,
  run: NewRun,
  sealed: (id: number) => Promise<RunRecord>,
): Promise<PostgresDraft> {
  const transaction = await connection.begin();
  try {
    const [row] = await transaction.query<{ id: number }>(
      `INSERT INTO lectern.runs ${values(parameters(NEW_RUN))} RETURNING id`,
      newRunToColumns(run),
    );
    return new PostgresDraft(row?.id ?? 0, transaction, run, connection.place, sealed);
  } catch (error) {
    await transaction.end('ROLLBACK');
    throw error;
  }
}
