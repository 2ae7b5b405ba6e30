import type { Database } from '../../sqlite/database.ts';
import type { FileLock } from '../../sqlite/locks.ts';
import { joinKnown, stateOf } from '../attempt-sql.ts';
import { columnList, ROW, RUN_ROW } from '../columns.ts';
import { LedgerError, SameRunError } from '../error.ts';
import type { Overlap, PlannedRecord, RunDraft, RunRecord, UnsentRecords } from '../ledger.ts';
import { SQLITE, type SqliteStore } from './attempts.ts';

const ROW_NAMES = Object.keys(ROW) as (keyof typeof ROW)[];
const ROW_PLACES = ROW_NAMES.map(() => '?').join(', ');

/** One statement per row would take twice as long. */
const ROWS_PER_STATEMENT = 50;

/** A run being filled: it has no digest yet, and all drafting processes share one lock. */
export function sqliteDraft(
  id: number,
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
        if (compared) refuseSame(database, id, compared);
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

/** In the transaction that seals the run: no other run is sealed meanwhile. */
function refuseSame(database: Database, run: number, compared: readonly number[]): void {
  const sql = `SELECT id FROM runs WHERE ${IS_RUN_FOR} (SELECT target ->> 'url' FROM runs WHERE id = ?)`;
  for (const { id } of database.all<{ id: number }>(sql, [run])) {
    if (compared.includes(id)) continue;
    const count = database.first<{ count: number }>(COUNT_SAME, [run, id])?.count ?? 0;
    if (count > 0) throw new SameRunError(database.file, id, count);
  }
}

/** Runs for a URL, which follows. */
const IS_RUN_FOR = `digest IS NOT NULL AND target ->> 'url' =`;

const COUNT_SAME = `
  SELECT count(*) AS count FROM run_rows AS mine JOIN run_rows AS other
    ON other.run = ?2 AND other.member = mine.member AND other.body = mine.body
  WHERE mine.run = ?1`;

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

let tables = 0;

/**
 * Copies the unsent rows of the runs for a URL into a temporary table with an index by member: an index
 * of all rows would make storing a run several times as slow. Usually there are none.
 */
export function readUnsentRecords(database: Database, url: string): UnsentRecords {
  const records = database.all<{ id: number; complete: number }>(
    `SELECT id, complete FROM runs WHERE ${IS_RUN_FOR} ?`,
    [url],
  );
  const runs = records.map(({ id }) => id);
  const open = records.filter(({ complete }) => complete === 0).map(({ id }) => id);
  if (open.length === 0) return { runs, overlaps: async () => [], close: () => {} };
  tables += 1;
  const table = `temp.unsent_${tables}`;
  database.execute(`CREATE TABLE ${table} (member TEXT, run INTEGER, body TEXT)`);
  database.write(`INSERT INTO ${table} ${UNSENT_ROWS}`, [JSON.stringify(open)]);
  database.execute(`CREATE INDEX ${table}_by_member ON unsent_${tables} (member)`);
  return {
    runs,
    overlaps: async (rows) => overlaps(database, table, rows),
    close: () => database.execute(`DROP TABLE ${table}`),
  };
}

const UNSENT_ROWS = `
  SELECT member, run, body FROM run_rows AS row
  WHERE run IN (SELECT value FROM json_each(?)) AND NOT EXISTS (
    SELECT 1 FROM attempts ${joinKnown(SQLITE)}
    WHERE attempts.run = row.run AND attempts.line = row.line AND ${stateOf()} <> 'not_sent')`;

function overlaps(database: Database, table: string, rows: readonly PlannedRecord[]): Overlap[] {
  const sql = `SELECT run, max(body = ?) AS same FROM ${table} WHERE member = ? GROUP BY run`;
  const counts = new Map<number, { members: number; same: number }>();
  for (const { member, body } of rows) {
    for (const { run, same } of database.all<{ run: number; same: number }>(sql, [body, member])) {
      const before = counts.get(run) ?? { members: 0, same: 0 };
      counts.set(run, { members: before.members + 1, same: before.same + same });
    }
  }
  return [...counts].map(([run, { members, same }]) => ({ run, members, same }));
}
