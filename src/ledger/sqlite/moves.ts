import {
  ATTEMPT,
  columnList,
  type EvidenceColumns,
  evidenceOf,
  OUTCOME,
  parameters,
  select,
  SETTLEMENT,
  settlementToColumns,
  values,
} from '../columns.ts';
import type { FileLock } from '../../sqlite/locks.ts';
import { RunClaimedError } from '../error.ts';
import type {
  AnswerStore,
  Evidence,
  GivenAttempt,
  ImportedRun,
  RunFile,
  RunMoves,
} from '../ledger.ts';
import { movesOf } from '../run-ledger.ts';
import { slices } from '../pages.ts';
import { recount } from '../run-sql.ts';
import { SQLITE, type SqliteStore } from './attempts.ts';
import { insertRun } from './runs.ts';

/** Runs that move to another machine, and come from one; answers that are handed on. */
export function sqliteMoves(store: SqliteStore): RunMoves & AnswerStore {
  const { database, writer, locks, targets } = store;
  return {
    async evidence(attempts) {
      const found = new Map<number, Evidence[]>();
      for (const row of database.all<EvidenceRow>(EVIDENCE, [JSON.stringify(attempts)])) {
        const all = found.get(row.attempt) ?? [];
        found.set(row.attempt, [...all, evidenceOf(row)]);
      }
      return found;
    },

    keepAnswers: (ledger, answers) =>
      writer.writeOutcome(() => {
        for (const answer of answers) {
          database.write(KEEP_ANSWER, [answer.token, ledger, JSON.stringify(answer)]);
        }
      }),

    dropAnswers: (tokens) =>
      writer.writeOutcome(() => {
        for (const token of tokens) database.write('DELETE FROM answers WHERE token = ?', [token]);
      }),

    async answersFor(ledger) {
      const rows = database.all<{ answer: string }>(ANSWERS, [ledger]);
      return rows.map(({ answer }) => JSON.parse(answer) as GivenAttempt);
    },

    async countAnswers(ledger) {
      return database.first<{ count: number }>(COUNT_ANSWERS, [ledger])?.count ?? 0;
    },

    async setMoved(run, moved, moves) {
      const value = moved === undefined ? null : JSON.stringify(moved);
      await writer.write(() => database.write(SET_MOVED, [value, run, moves ?? null]));
    },

    async importRun({ run, records, attempts }) {
      const { time, digest, source, options } = run;
      const imported = { ...run, options: { ...options, imported: true }, rows: records.length };
      let lock: FileLock | undefined;
      try {
        return await writer.write((): ImportedRun => {
          // In the transaction: another process may import the same file.
          const before = database.first<{ id: number }>(FIND_RUN, [time, digest, source])?.id;
          if (before !== undefined) lock ??= locks.take(`run-${before}`);
          if (before !== undefined && !lock) {
            throw new RunClaimedError(database.file, before, undefined);
          }
          const id = before ?? insertRun(database, imported, slices(records));
          const counts = mergeAttempts(id, attempts);
          if (before !== undefined) database.write(BRING_BACK, [movesOf(run), id]);
          database.write(recount(SQLITE), { run: id });
          return { run: id, isNew: before === undefined, ...counts };
        });
      } finally {
        lock?.release();
      }
    },
  };

  /** Both machines have the attempts until the run was moved; each is found by its line and time, in order. */
  function mergeAttempts(run: number, filed: RunFile['attempts']) {
    const counts = { attempts: 0, settled: 0 };
    const last = database.first<{ id: number | null }>(LAST_ATTEMPT)?.id ?? 0;
    const after = new Map<string, number>();
    for (const { location, context, outcome, evidence, url, ...attempt } of filed) {
      const { line, time, member } = attempt;
      const place = `${line} ${time}`;
      const found = database.first<{ id: number }>(FIND_ATTEMPT, [
        run,
        line,
        time,
        after.get(place) ?? 0,
        last,
      ])?.id;
      const address = {
        url,
        member,
        location: location ?? undefined,
        context: context ?? undefined,
      };
      const { credential, body } = attempt;
      const target = targets.idOf(address);
      const made = { time, target, member, credential, body, run, line };
      const id = found ?? database.write(INSERT_ATTEMPT, made).id;
      if (found === undefined) counts.attempts += 1;
      else after.set(place, found);
      let changes = 0;
      if (outcome) changes += database.write(INSERT_OUTCOME, { attempt: id, ...outcome }).changes;
      for (const { by: who, at, ...settlement } of evidence) {
        const known = { who, time: at, ...settlementToColumns(settlement) };
        changes += database.write(INSERT_SETTLEMENT, { attempt: id, ...known }).changes;
      }
      if (found !== undefined && changes > 0) counts.settled += 1;
    }
    return counts;
  }
}

type EvidenceRow = Omit<EvidenceColumns, 'evidence_time'> & {
  attempt: number;
  evidence_time: number;
};

const EVIDENCE = `SELECT attempt, ${columnList(SETTLEMENT)}, time AS evidence_time FROM settlements
  WHERE attempt IN (SELECT value FROM json_each(?)) ORDER BY id`;

const KEEP_ANSWER = 'INSERT OR REPLACE INTO answers (token, ledger, answer) VALUES (?, ?, ?)';
const ANSWERS = 'SELECT answer FROM answers WHERE ledger = ? ORDER BY rowid';
const COUNT_ANSWERS = `SELECT count(*) AS count FROM answers
  WHERE ledger = ? AND answer ->> '$.outcome.state' <> 'not_sent'`;

const SET_MOVED = `UPDATE runs SET options = json_set(CASE WHEN ?1 IS NULL
  THEN json_remove(options, '$.moved') ELSE json_set(options, '$.moved', json(?1)) END,
  '$.moves', coalesce(?3, options ->> '$.moves', 0)) WHERE id = ?2`;

/** A file that is older than the last move does not bring a run back: it is elsewhere since. */
const BRING_BACK = `UPDATE runs SET options = json_set(json_remove(options, '$.moved'), '$.moves', ?1)
  WHERE id = ?2 AND ?1 > coalesce(options ->> '$.moves', 0)`;

const FIND_RUN = 'SELECT id FROM runs WHERE time = ? AND digest = ? AND source = ?';

const LAST_ATTEMPT = 'SELECT max(id) AS id FROM attempts';

/** Of those that were there before. */
const FIND_ATTEMPT = `SELECT id FROM attempts
  WHERE run = ? AND line = ? AND time = ? AND id > ? AND id <= ? ORDER BY id LIMIT 1`;

const INSERT_ATTEMPT = `INSERT INTO attempts ${values({ time: ':time', ...parameters(ATTEMPT) })}`;

const INSERT_OUTCOME = `INSERT OR IGNORE INTO outcomes ${values({
  attempt: ':attempt',
  time: ':time',
  ...parameters(OUTCOME),
})}`;

const INSERT_SETTLEMENT = `INSERT INTO settlements ${select({
  attempt: ':attempt',
  time: ':time',
  ...parameters(SETTLEMENT),
})} WHERE NOT EXISTS (SELECT 1 FROM settlements WHERE attempt = :attempt AND time = :time)`;
