import { LedgerError, SameRunError } from '../error.ts';
import type { NewRun, RunDraft, RunRecord, RunRow } from '../ledger.ts';
import { bigintArray, textArray } from './arrays.ts';
import type { Connection, Transaction } from './connection.ts';

/**
 * A run that is being filled, in one transaction: nobody else sees it before it is sealed, and where
 * its process ends it never was.
 */
export class Draft implements RunDraft {
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

  async addRows(rows: readonly RunRow[]): Promise<void> {
    this.#checkOpen();
    await this.transaction.query('SAVEPOINT batch');
    try {
      await this.transaction.query(
        `INSERT INTO lectern.run_rows (run, line, member, body)
         SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[])`,
        [
          this.id,
          bigintArray(rows.map(({ line }) => line)),
          textArray(rows.map(({ member }) => member)),
          textArray(rows.map(({ body }) => body)),
        ],
      );
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
    rowsDigest?: string,
  ): Promise<RunRecord> {
    this.#checkOpen();
    if (rowsDigest !== undefined) await this.#refuseSame(rowsDigest);
    await this.transaction.query(
      'UPDATE lectern.runs SET digest = $1, options = $2, rows = $3 WHERE id = $4',
      [digest, JSON.stringify({ ...this.#options, ...options }), this.#rows, this.id],
    );
    try {
      await this.transaction.end('COMMIT');
    } catch (error) {
      // The answer to the commit was lost: it stands, or there is no such run.
      return await this.#sealed(this.id).catch(() => {
        throw error;
      });
    }
    return this.#sealed(this.id);
  }

  /** Of several that plan the same rows at once, the first one has them. */
  async #refuseSame(rowsDigest: string): Promise<void> {
    await this.transaction.lock(LOCK_CLASS, rowsDigest);
    const [same] = await this.transaction.query<{ id: number }>(OPEN_RUN, [this.#url, rowsDigest]);
    if (same) throw new SameRunError(this.#place, same.id);
  }

  discard(): Promise<void> {
    return this.transaction.end('ROLLBACK');
  }

  #checkOpen(): void {
    if (this.transaction.isOpen) return;
    const words = `run ${this.id} is sealed or discarded: nothing can be added`;
    throw new LedgerError('refused', this.#place, words);
  }
}

/** Held while a run is sealed, with what tells its rows. */
const LOCK_CLASS = 0x6c656378;

/** The run that has the same rows for the same address, and is not sent whole. */
export const OPEN_RUN = `
  SELECT id FROM lectern.runs
  WHERE NOT complete AND digest IS NOT NULL AND rows > 0 AND target ->> 'url' = $1
    AND options ->> 'rowsDigest' = $2
  ORDER BY id LIMIT 1`;

/** Begins a run. */
export async function beginDraft(
  connection: Connection,
  { target, credential, source, options }: NewRun,
  sealed: (id: number) => Promise<RunRecord>,
): Promise<Draft> {
  const transaction = await connection.begin();
  try {
    const [row] = await transaction.query<{ id: number }>(
      `INSERT INTO lectern.runs (target, credential, source, options) VALUES ($1, $2, $3, $4)
       RETURNING id`,
      [JSON.stringify(target), credential, source, JSON.stringify(options)],
    );
    return new Draft(row?.id ?? 0, transaction, { options, target }, connection.place, sealed);
  } catch (error) {
    await transaction.end('ROLLBACK');
    throw error;
  }
}
