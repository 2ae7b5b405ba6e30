import type { Database } from '../../sqlite/database.ts';
import type { FileLock } from '../../sqlite/locks.ts';
import { columnList, ROW, RUN_ROW } from '../columns.ts';
import { LedgerError, SameRunError } from '../error.ts';
import type { PlannedRecord, RunDraft, RunRecord, RunTarget } from '../ledger.ts';
import { sameRows, type SameRows } from '../run-sql.ts';
import { SQLITE, type SqliteStore } from './attempts.ts';

const ROW_NAMES = Object.keys(ROW) as (keyof typeof ROW)[];
const ROW_PLACES = ROW_NAMES.map(() => '?').join(', ');

/** One statement per row would take twice as long. */
const ROWS_PER_STATEMENT = 50;

/** A run being filled: it has no digest yet, and all drafting processes share one lock. */
export function sqliteDraft(
  id: number,
  { url }: RunTarget,
  { database, writer }: SqliteStore,
  lock: FileLock,
  sealed: () => Promise<RunRecord>,
): RunDraft {
  const update = (change: string, ...values: (string | number)[]): void => {
    const sql = `UPDATE runs SET ${change} WHERE id = ? AND digest IS NULL`;
    if (database.write(sql, [...values, id]).changes > 0) return;
    const message = `run ${id} is sealed or discarded: nothing can be added`;
    throw new LedgerError('refused', database.file, message);
  };

  return {
    id,

    addRows: (rows) =>
      writer.write(() => {
        update('rows = rows + ?', rows.length);
        for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
          insertRunRows(database, id, rows.slice(at, at + ROWS_PER_STATEMENT));
        }
      }),

    async seal(digest, options = {}, compared) {
      const text = JSON.stringify(options);
      await writer.write(() => {
        // In the transaction that seals the run: no other run is sealed meanwhile.
        const asked = { run: id, url, compared: JSON.stringify(compared?.map(String)) };
        const same = compared && database.first<SameRows>(sameRows(SQLITE), asked);
        if (same) throw new SameRunError(database.file, same.run, same.count);
        update('digest = ?, options = json_patch(options, ?)', digest, text);
      });
      lock.release();
      return sealed();
    },

    async discard() {
      await writer.write(() => {
        removeDrafts(database, 'id = ?', [id]);
        // Reuses the number of a discarded run, unless a later one was started.
        database.write(
          `UPDATE sqlite_sequence SET seq = seq - 1
           WHERE name = 'runs' AND seq = ? AND NOT EXISTS (SELECT 1 FROM runs WHERE id = seq)`,
          [id],
        );
      });
      lock.release();
    },
  };
}

export function insertRunRows(
  database: Database,
  run: number,
  rows: readonly PlannedRecord[],
): void {
  const places = rows.map(() => `(${run}, ${ROW_PLACES})`).join(', ');
  database.write(
    `INSERT INTO run_rows (${columnList(RUN_ROW)}) VALUES ${places}`,
    rows.flatMap((row) => ROW_NAMES.map((name) => row[name])),
  );
}

/** Removes drafts of dead processes, unless another process is drafting. */
export async function sweepDrafts({ database, writer, locks }: SqliteStore): Promise<void> {
  const lock = locks.take('drafts');
  if (!lock) return;
  try {
    await writer.write(() => removeDrafts(database, 'TRUE'));
  } finally {
    lock.release();
  }
}

function removeDrafts(database: Database, which: string, values: readonly number[] = []): void {
  const drafts = `SELECT id FROM runs WHERE digest IS NULL AND ${which}`;
  database.write(`DELETE FROM run_rows WHERE run IN (${drafts})`, values);
  database.write(`DELETE FROM runs WHERE id IN (${drafts})`, values);
}
