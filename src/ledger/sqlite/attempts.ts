import type { Database, NamedValues } from '../../sqlite/database.ts';
import type { GroupCommit } from '../../sqlite/writer.ts';
import { TargetIds, toTemplate } from '../address.ts';
import {
  type AttemptColumns,
  checkIntent,
  type Dialect,
  type KnownColumns,
  selectKnown,
  streamAttempts,
  toKnown,
} from '../attempt-sql.ts';
import { ATTEMPT, OUTCOME, outcomeToColumns, parameters, values, WITHDRAWN } from '../columns.ts';
import { LedgerError } from '../error.ts';
import type {
  AttemptFilter,
  AttemptLedger,
  AttemptRecord,
  GradeAddress,
  Intent,
  KnownGrade,
  Outcome,
  PendingAttempt,
} from '../ledger.ts';

/** Every grade attempt, in the tables `attempts` (the request) and `outcomes` (the result). */
export class SqliteAttempts implements AttemptLedger {
  readonly #database: Database;
  readonly #writer: GroupCommit;
  readonly #targets: SqliteTargets;
  readonly #now: () => number;

  constructor(database: Database, writer: GroupCommit, targets: SqliteTargets, now: () => number) {
    this.#database = database;
    this.#writer = writer;
    this.#targets = targets;
    this.#now = now;
  }

  async intend(intent: Intent): Promise<PendingAttempt> {
    checkIntent(intent, this.#database.file);
    const time = this.#now();
    return this.#writer.write(() => this.#insert(intent, time));
  }

  #insert(intent: Intent, time: number): PendingAttempt {
    const { member, credential, body, run = null, line = null } = intent;
    const target = this.#targets.idOf(intent);
    const attempt = { time, target, member, credential, body, run, line };
    const { id, changes } = this.#database.write(INSERT_ATTEMPT, attempt);
    if (changes === 0) throw this.#refused(`run ${run} has no line ${line}`);
    return { id };
  }

  settle({ id }: PendingAttempt, outcome: Outcome, whose?: GradeAddress): Promise<void> {
    const time = this.#now();
    const settled = this.#writer.writeOutcome(() => this.#insertOutcome(id, outcome, time));
    return whose ? settled.then(() => this.#nameMember(id, whose)) : settled;
  }

  /** In its own commit: an invalid member must not roll back the outcome. */
  #nameMember(attempt: number, whose: GradeAddress): Promise<void> {
    return this.#writer.writeOutcome(() => this.#setMember(attempt, whose)).catch(() => {});
  }

  withdraw(attempt: PendingAttempt): Promise<void> {
    return this.settle(attempt, WITHDRAWN);
  }

  #setMember(attempt: number, whose: GradeAddress): void {
    this.#database.write(
      `UPDATE attempts SET member = ?, target = ? WHERE id = ? AND member = ''`,
      [whose.member, this.#targets.idOf(whose), attempt],
    );
  }

  #insertOutcome(attempt: number, outcome: Outcome, time: number): void {
    const row = { attempt, time, ...outcomeToColumns(outcome) };
    const { changes } = this.#database.write(INSERT_OUTCOME, row);
    if (changes === 0) throw this.#refused(`attempt ${attempt} is unknown or settled already`);
  }

  attempts(filter: AttemptFilter = {}): AsyncIterable<AttemptRecord> {
    return streamAttempts(SQLITE, filter, (sql, wanted) =>
      this.#database.all<AttemptColumns>(sql, wanted as NamedValues),
    );
  }

  async knownGrades(asked: readonly GradeAddress[]): Promise<KnownGrade[]> {
    // A batch has one target or a few: each is looked up once.
    const targets = new Map<string, number | undefined>();
    const knownOf = (address: GradeAddress): KnownGrade => {
      const url = toTemplate(address);
      if (!targets.has(url)) targets.set(url, this.#targets.find(url));
      const target = targets.get(url);
      return target === undefined
        ? { last: undefined, doubts: [] }
        : this.#known(target, address.member);
    };
    return this.#database.snapshot(() => asked.map(knownOf));
  }

  #known(target: number, member: string): KnownGrade {
    return toKnown(this.#database.all<KnownColumns>(KNOWN, { member, target }));
  }

  #refused(message: string): LedgerError {
    return new LedgerError('refused', this.#database.file, message);
  }
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

const SQLITE: Dialect = {
  schema: '',
  outcome: OUTCOME,
  more: {},
  msOf: (column) => column,
  timeOf: (ms) => ms,
  isOneOf: (text, list) => `${text} IN (SELECT value FROM json_each(${list}))`,
  listOf: (texts) => JSON.stringify(texts),
};

const KNOWN = `${selectKnown(SQLITE, ':member', ':target')} ORDER BY attempts.id`;

/** The grade addresses; `idOf` belongs in a transaction. */
export class SqliteTargets extends TargetIds<number> {
  readonly #database: Database;

  constructor(database: Database) {
    super((target) => database.first<{ id: number }>(INSERT_TARGET, { ...target })?.id ?? 0);
    this.#database = database;
  }

  /** The id of a target by its URL template; undefined if nothing was ever sent there. */
  find(template: string): number | undefined {
    const sql = 'SELECT id FROM targets WHERE url = ?';
    return this.#database.first<{ id: number }>(sql, [template])?.id;
  }
}

const INSERT_TARGET = `
  INSERT INTO targets (url, location, context) VALUES (:url, :location, :context)
  ON CONFLICT (url) DO UPDATE SET
    location = coalesce(location, excluded.location),
    context = coalesce(context, excluded.context)
  RETURNING id`;
