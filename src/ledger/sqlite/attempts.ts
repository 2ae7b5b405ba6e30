import type { Database } from '../../sqlite/database.ts';
import type { Locks } from '../../sqlite/locks.ts';
import type { GroupCommit } from '../../sqlite/writer.ts';
import { TargetIds } from '../address.ts';
import { checkIntent, type Dialect } from '../attempt-sql.ts';
import { ATTEMPT, OUTCOME, outcomeToColumns, parameters, values, WITHDRAWN } from '../columns.ts';
import { LedgerError } from '../error.ts';
import type { AttemptWrites } from '../reader.ts';

/** What the parts of a ledger in a file share. */
export interface SqliteStore {
  readonly database: Database;
  readonly writer: GroupCommit;
  readonly locks: Locks;
  /** The ids of grade addresses; `idOf` belongs in a transaction. */
  readonly targets: TargetIds<number>;
  readonly now: () => number;
  /** Milliseconds since the machine was started; null if unknown. */
  readonly uptime: () => number | null;
  /** `user@host`, who settles doubts. */
  readonly who: string;
}

/** Every grade attempt, in the tables `attempts` (the request) and `outcomes` (the result). */
export function sqliteAttempts({
  database,
  writer,
  targets,
  now,
}: Omit<SqliteStore, 'locks' | 'uptime' | 'who'>): AttemptWrites {
  const refused = (message: string) => new LedgerError('refused', database.file, message);
  const ledger: AttemptWrites = {
    async intend(intent) {
      checkIntent(intent, database.file);
      const { member, credential, body, run = null, line = null } = intent;
      const time = now();
      return writer.write(() => {
        const target = targets.idOf(intent);
        const attempt = { time, target, member, credential, body, run, line };
        const { id, changes } = database.write(INSERT_ATTEMPT, attempt);
        if (changes === 0) throw refused(`run ${run} has no line ${line}`);
        return { id };
      });
    },

    async storeOutcome({ id }, outcome, whose) {
      const row = { attempt: id, time: now(), ...outcomeToColumns(outcome) };
      await writer.writeOutcome(() => {
        const { changes } = database.write(INSERT_OUTCOME, row);
        if (changes === 0) throw refused(`attempt ${id} is unknown, or has an outcome`);
        if (whose) database.write(SET_MEMBER, [whose.member, targets.idOf(whose), id]);
      });
    },

    withdraw: (attempt) => ledger.storeOutcome(attempt, WITHDRAWN),
  };
  return ledger;
}

/**
 * Inserts nothing if the run has no such row: then there is no time. A SELECT as the source would
 * be clearer, but takes up to a third longer.
 */
const INSERT_ATTEMPT = `INSERT OR IGNORE INTO attempts ${values({
  time: `iif(:run IS NULL OR EXISTS (SELECT 1 FROM run_rows WHERE run = :run AND line = :line),
    :time, NULL)`,
  ...parameters(ATTEMPT),
})}`;

/** Inserts nothing without its attempt, or if it has an outcome. */
const INSERT_OUTCOME = `INSERT OR IGNORE INTO outcomes ${values({
  attempt: ':attempt',
  time: 'iif(EXISTS (SELECT 1 FROM attempts WHERE id = :attempt), :time, NULL)',
  ...parameters(OUTCOME),
})}`;

export const SQLITE: Dialect = {
  schema: '',
  outcome: OUTCOME,
  more: {},
  msOf: (column) => column,
  timeOf: (ms) => ms,
  isOneOf: (text, list) => `${text} IN (SELECT value FROM json_each(${list}))`,
  listOf: (texts) => JSON.stringify(texts),
  givenRows: (parameter, columns) => {
    const names = Object.keys(columns).map((name) => `value ->> '${name}' AS ${name}`);
    return `(SELECT ${names.join(', ')} FROM json_each(${parameter})) AS given`;
  },
  jsonOf: (rows) => JSON.stringify(rows),
  targetKey: { column: 'url', of: (template) => template },
};

const SET_MEMBER = `UPDATE attempts SET member = ?, target = ? WHERE id = ? AND member = ''`;

export function sqliteTargets(database: Database): TargetIds<number> {
  return new TargetIds(
    (target) => database.first<{ id: number }>(INSERT_TARGET, { ...target })?.id ?? 0,
  );
}

const INSERT_TARGET = `
  INSERT INTO targets (url, location, context) VALUES (:url, :location, :context)
  ON CONFLICT (url) DO UPDATE SET
    location = coalesce(location, excluded.location),
    context = coalesce(context, excluded.context)
  RETURNING id`;
