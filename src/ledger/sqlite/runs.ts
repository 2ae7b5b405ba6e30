import type { Database, NamedValues } from '../../sqlite/database.ts';
import type { FileLock } from '../../sqlite/locks.ts';
import { runToColumns } from '../columns.ts';
import { RunClaimedError, SameRunError } from '../error.ts';
import type { GivenRun, PlannedRecord, RunLedger, State } from '../ledger.ts';
import { type AttemptReads, ledgerReader } from '../reader.ts';
import {
  countRows,
  isComplete,
  recount,
  rowsToStore,
  sameRows,
  type SameRows,
  settlementRows,
  settleRows,
  storeRows,
  storeRun,
} from '../run-sql.ts';
import { SQLITE, type SqliteStore } from './attempts.ts';

/** Every bulk run, in the tables `runs` and `run_rows` (never changed). */
export function sqliteRuns(store: SqliteStore): RunLedger & AttemptReads {
  const { database, writer, locks, now, who } = store;

  const { stored, record, ...reader } = ledgerReader(SQLITE, {
    place: database.file,
    countRows: countRows(SQLITE, 'FALSE'),
    read: async (sql, wanted) => database.all(sql, wanted as NamedValues),
  });

  /** For messages only: it may be outdated after a crash. The lock decides. */
  const holderOf = (id: number): number | undefined => {
    const sql = 'SELECT pid FROM runs WHERE id = ?';
    return database.first<{ pid: number | null }>(sql, [id])?.pid ?? undefined;
  };

  const lockRun = (id: number): FileLock => {
    const lock = locks.take(`run-${id}`);
    if (!lock) throw new RunClaimedError(database.file, id, holderOf(id));
    return lock;
  };

  const releaseRun = async (id: number, lock: FileLock): Promise<void> => {
    // A full disk must not hide how the run ended.
    await writer.write(() => database.write(RELEASE, { run: id })).catch(() => {});
    lock.release();
  };

  return {
    ...reader,

    now: async () => now(),

    checkWritable: () => writer.write(() => {}),

    async createRun(run, rows) {
      const { target, compared } = run;
      const id = await writer.write(() => {
        const made = insertRun(database, run, rows);
        // No other run is stored meanwhile.
        const asked = {
          run: made,
          url: target.url,
          compared: JSON.stringify(compared?.map(String)),
        };
        const same = compared && database.first<SameRows>(sameRows(SQLITE), asked);
        if (same) throw new SameRunError(database.file, same.run, same.count);
        return made;
      });
      return record(id);
    },

    async claimRun(id, pid, { states = NOT_SENT, limit } = {}) {
      await stored(id);
      const lock = lockRun(id);
      try {
        const sql = 'UPDATE runs SET pid = ? WHERE id = ?';
        await writer.write(() => database.write(sql, [pid, id]));
      } catch (error) {
        lock.release();
        throw error;
      }
      let released: Promise<void> | undefined;
      return {
        pages: () => reader.pages(id, { states, limit, sendable: true }),
        done: () => {},
        more: async () => false,
        stopped: NEVER,
        intentLifetimeMs: Infinity,
        release: () => (released ??= releaseRun(id, lock)),
      };
    },

    async sender(id) {
      const pid = holderOf(id);
      // Without a claim there is nothing to find out, and even a short lock could refuse a sender.
      if (pid === undefined) return undefined;
      const lock = locks.take(`run-${id}`);
      lock?.release();
      return lock ? undefined : pid;
    },

    async settleDoubts(run, settlements) {
      if (run !== undefined) await stored(run);
      const lock = run === undefined ? undefined : lockRun(run);
      try {
        const given = {
          settlements: JSON.stringify(settlementRows(settlements)),
          time: now(),
          who,
        };
        return await writer.write(() => {
          const sql = settleRows(SQLITE, SETTLED, run);
          const values = { ...given, ...(run !== undefined && { run }) };
          const settled = database.all<{ row: number }>(sql, values);
          if (run !== undefined) database.write(recount(SQLITE), { run });
          return [...new Set(settled.map(({ row }) => row))];
        });
      } finally {
        lock?.release();
      }
    },
  };
}

const NOT_SENT: readonly State[] = ['not_sent'];

/** The only worker is never asked to stop. */
const NEVER = new AbortController().signal;

const RELEASE = `UPDATE runs SET pid = NULL, complete = ${isComplete(SQLITE)} WHERE id = :run`;

const SETTLED = { time: ':time', who: ':who' };

/** In a transaction. */
export function insertRun(
  database: Database,
  run: GivenRun,
  pages: Iterable<readonly PlannedRecord[]>,
): number {
  const id = database.first<{ id: number }>(STORE_RUN, runToColumns(run))?.id ?? 0;
  for (const page of pages) {
    database.write(STORE_ROWS, { run: id, rows: JSON.stringify(rowsToStore(page)) });
  }
  return id;
}

const STORE_RUN = storeRun(SQLITE);
const STORE_ROWS = storeRows(SQLITE);
