import { checkMember } from '../../contract/grade-url.ts';
import { truncate } from '../../contract/words.ts';
import type { Database, Value } from './database.ts';
import {
  type AttemptColumns,
  type KnownColumns,
  stillInDoubt,
  toAttempt,
  toKnown,
} from '../attempt-columns.ts';
import { LedgerError } from '../error.ts';
import type {
  AttemptFilter,
  AttemptLedger,
  AttemptRecord,
  GradeAddress,
  Intent,
  KnownGrade,
  Outcome,
} from '../ledger.ts';
import {
  OUTCOME_COLUMNS,
  toColumns,
  toOutcome,
  toText,
  type OutcomeColumns,
  WITHDRAWN,
} from '../outcome-columns.ts';
import { byPages, oneOf } from '../pages.ts';
import { toTemplate } from '../marked-url.ts';
import type { Targets } from './targets.ts';
import type { Writer } from './writer.ts';

/** Every grade attempt, in the tables `attempts` (the request) and `outcomes` (the result). */
export class Attempts implements AttemptLedger {
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #targets: Targets;
  readonly #now: () => number;

  constructor(database: Database, writer: Writer, targets: Targets, now: () => number) {
    this.#database = database;
    this.#writer = writer;
    this.#targets = targets;
    this.#now = now;
  }

  intend(intent: Intent): Promise<number> {
    const { member } = intent;
    if (member !== '' && checkMember(member)) {
      const words = `the member ${JSON.stringify(truncate(member))} cannot be stored`;
      return Promise.reject(this.#refused(words));
    }
    const time = this.#now();
    return this.#writer.write(() => this.#insert(intent, time));
  }

  #insert(intent: Intent, time: number): number {
    const { member, credential, body, run = null, line = null } = intent;
    const target = this.#targets.idOf(intent);
    const values = [time, target, member, credential, body, run, line];
    const { id, changes } = this.#database.write(INSERT_ATTEMPT, values);
    if (changes === 0) throw this.#refused(`run ${run} has no line ${line}`);
    return id;
  }

  settle(attempt: number, outcome: Outcome, whose?: GradeAddress): Promise<void> {
    const time = this.#now();
    const settled = this.#writer.writeOutcome(() => this.#insertOutcome(attempt, outcome, time));
    return whose ? settled.then(() => this.#nameMember(attempt, whose)) : settled;
  }

  /** A commit of its own: an invalid member must not roll back the outcome. */
  #nameMember(attempt: number, whose: GradeAddress): Promise<void> {
    return this.#writer.writeOutcome(() => this.#setMember(attempt, whose)).catch(() => {});
  }

  withdraw(attempt: number): Promise<void> {
    return this.settle(attempt, WITHDRAWN);
  }

  #setMember(attempt: number, whose: GradeAddress): void {
    this.#database.write(
      `UPDATE attempts SET member = ?, target = ? WHERE id = ? AND member = ''`,
      [whose.member, this.#targets.idOf(whose), attempt],
    );
  }

  #insertOutcome(attempt: number, outcome: Outcome, time: number): void {
    const { state, http, code, reason, text } = toColumns(outcome);
    const values = [attempt, time, state, http, code, reason, text];
    const { changes } = this.#database.write(INSERT_OUTCOME, values);
    if (changes === 0) throw this.#refused(`attempt ${attempt} is unknown or settled already`);
  }

  attempts(filter: AttemptFilter = {}): AsyncIterable<AttemptRecord> {
    const { newestFirst = false, limit } = filter;
    const { sql, values } = selectAttempts(filter);
    return byPages({
      page: (after, count) =>
        this.#database
          .all<AttemptRow>(sql, [...values, after, count])
          .map((row) => toAttempt(row, toOutcome(row))),
      keyOf: ({ id }) => id,
      start: newestFirst ? Number.MAX_SAFE_INTEGER : 0,
      limit,
    });
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
    const rows = this.#database.all<KnownRow>(KNOWN, [member, target]);
    return toKnown(rows, ({ text }) => toText(text));
  }

  #refused(words: string): LedgerError {
    return new LedgerError('refused', this.#database.file, words);
  }
}

/**
 * Without the row of its run there is no time, and then nothing is inserted. A SELECT as the source of the
 * row would say it better, and takes up to a third longer.
 */
const INSERT_ATTEMPT = `
  INSERT OR IGNORE INTO attempts (time, target, member, credential, body, run, line) VALUES (
    iif(?6 IS NULL OR EXISTS (SELECT 1 FROM run_rows WHERE run = ?6 AND line = ?7), ?1, NULL),
    ?2, ?3, ?4, ?5, ?6, ?7)`;

/** The same without its attempt, or where it has an outcome. */
const INSERT_OUTCOME = `
  INSERT OR IGNORE INTO outcomes (attempt, time, state, http, code, reason, text) VALUES (
    ?1, iif(EXISTS (SELECT 1 FROM attempts WHERE id = ?1), ?2, NULL), ?3, ?4, ?5, ?6, ?7)`;

const STILL_IN_DOUBT = stillInDoubt('');

/** The last success, and what is still in doubt. */
const KNOWN = `
  SELECT attempts.id, attempts.time, attempts.body, attempts.run, outcome.state, outcome.text
  FROM attempts LEFT JOIN outcomes AS outcome ON outcome.attempt = attempts.id
  WHERE attempts.member = ?1 AND attempts.target = ?2 AND (${STILL_IN_DOUBT} OR attempts.id = (
    SELECT max(success.id) FROM attempts AS success JOIN outcomes ON outcomes.attempt = success.id
    WHERE success.member = ?1 AND success.target = ?2 AND outcomes.state = 'success'))
  ORDER BY attempts.id`;

type KnownRow = KnownColumns & Pick<OutcomeColumns, 'text'>;

type AttemptRow = AttemptColumns & OutcomeColumns;

/** The query of one page: its last two values are the id to continue from and the number of rows. */
function selectAttempts(filter: AttemptFilter): { sql: string; values: Value[] } {
  const { member, states, stillInDoubt: isStill, since, run, newestFirst = false } = filter;
  const conditions: string[] = [];
  const values: Value[] = [];
  const where = (condition: string, ...more: Value[]): void => {
    conditions.push(condition);
    values.push(...more);
  };
  if (member !== undefined) where('attempts.member = ?', member);
  if (run !== undefined) where('attempts.run = ?', run);
  if (since !== undefined) where('attempts.time >= ?', since);
  if (states) where(oneOf(`coalesce(outcome.state, 'in_doubt')`, states), ...states);
  if (isStill) {
    conditions.push(`(outcome.state <> 'in_doubt' OR ${STILL_IN_DOUBT})`);
  }
  conditions.push(newestFirst ? 'attempts.id < ?' : 'attempts.id > ?');
  const sql = `
    SELECT attempts.id, attempts.time, url, location, context, member, credential, body, run, line,
      outcome.time AS settled, ${OUTCOME_COLUMNS}
    FROM attempts JOIN targets ON targets.id = attempts.target
      LEFT JOIN outcomes AS outcome ON outcome.attempt = attempts.id
    WHERE ${conditions.join(' AND ')}
    ORDER BY attempts.id ${newestFirst ? 'DESC' : 'ASC'} LIMIT ?`;
  return { sql, values };
}
