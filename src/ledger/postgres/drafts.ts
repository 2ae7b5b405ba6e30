import {
  columnsOf,
  NEW_RUN,
  newRunToColumns,
  parameters,
  ROW,
  select,
  values,
} from '../columns.ts';
import { LedgerError, SameRunError } from '../error.ts';
import type { NewRun, PlannedRecord, RunDraft, RunRecord } from '../ledger.ts';
import { givenRows, jsonRows } from './columns.ts';
import type { Connection, Transaction } from './connection.ts';

/**
 * A run that is being filled, in one transaction: no other process sees it before it is sealed, and
 * it vanishes if its process ends.
 */
export async function beginDraft(
  connection: Connection,
  run: NewRun,
  sealed: (id: number) => Promise<RunRecord>,
): Promise<RunDraft> {
  const { place } = connection;
  const transaction = await connection.begin();
  let id: number;
  try {
    const [made] = await transaction.query<{ id: number }>(INSERT_RUN, newRunToColumns(run));
    id = made?.id ?? 0;
  } catch (error) {
    await transaction.end('ROLLBACK');
    throw error;
  }
  let count = 0;
  const checkOpen = (): void => {
    if (transaction.isOpen) return;
    const message = `run ${id} is sealed or discarded: nothing can be added`;
    throw new LedgerError('refused', place, message);
  };

  return {
    id,

    async addRows(rows) {
      checkOpen();
      await transaction.query('SAVEPOINT batch');
      try {
        await insertRows(transaction, id, rows);
      } catch (error) {
        await transaction.query('ROLLBACK TO batch').catch(() => {});
        throw error;
      }
      await transaction.query('RELEASE batch');
      count += rows.length;
    },

    async seal(digest, options = {}, compared) {
      checkOpen();
      if (compared)
        await refuseSame(transaction, { run: id, place, url: run.target.url, compared });
      const all = JSON.stringify({ ...run.options, ...options });
      await transaction.query(SEAL, { run: id, digest, options: all, rows: count });
      try {
        await transaction.end('COMMIT');
      } catch (error) {
        // The answer to the commit was lost: either the run exists, or the commit failed.
        return await sealed(id).catch(() => {
          throw error;
        });
      }
      return sealed(id);
    },

    discard: () => transaction.end('ROLLBACK'),
  };
}

const INSERT_RUN = `INSERT INTO lectern.runs ${values(parameters(NEW_RUN))} RETURNING id`;
const SEAL =
  'UPDATE lectern.runs SET digest = :digest, options = :options, rows = :rows WHERE id = :run';

/** No other run for the URL is sealed before this one. */
async function refuseSame(
  transaction: Transaction,
  draft: { run: number; place: string; url: string; compared: readonly number[] },
): Promise<void> {
  const { run, place, url, compared } = draft;
  await transaction.lock(LOCK_CLASS, url);
  const runs = await transaction.query<{ id: number }>(RUNS_FOR, { url });
  const others = runs.map(({ id }) => id).filter((id) => !compared.includes(id));
  if (others.length === 0) return;
  const asked = { run, others };
  const [same] = await transaction.query<{ run: number; count: number }>(SAME_ROWS, asked);
  if (same) throw new SameRunError(place, same.run, same.count);
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
