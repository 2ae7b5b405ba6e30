import { originOf, withoutQuery } from '../contract/url.ts';
import type { Database, Value } from './database.ts';
import { LedgerError } from './error.ts';
import type {
  AttemptFilter,
  AttemptLedger,
  AttemptRecord,
  GradeAddress,
  Intent,
  LastRecorded,
  Outcome,
} from './ledger.ts';
import { outcomeOf, OUTCOME_COLUMNS, stateOf, toColumns, type OutcomeColumns } from './outcomes.ts';
import { allOf, Conditions, pages } from './query.ts';
import { markMember, fillMember, type Targets } from './targets.ts';
import type { Writer } from './writer.ts';

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
    const time = this.#now();
    return this.#writer.write(() => this.#insert(intent, time));
  }

  #insert(intent: Intent, time: number): number {
    const { member, credential, body, run = null, line = null } = intent;
    const { id } = this.#database.write(
      'INSERT INTO attempts (time, target, member, credential, body, run, line) VALUES (?, ?, ?, ?, ?, ?, ?)',
      time,
      this.#targets.idOf(intent),
      member,
      credential,
      body,
      run,
      line,
    );
    if (run !== null && line !== null) this.#doubtRow(run, line, id);
    return id;
  }

  /** In doubt until told otherwise: then a process that dies here leaves nothing to be repaired. */
  #doubtRow(run: number, line: number, attempt: number): void {
    this.#database.write(
      `INSERT INTO row_states (run, line, attempt, state) VALUES (?, ?, ?, 'in-doubt')
       ON CONFLICT DO UPDATE SET attempt = excluded.attempt, state = excluded.state`,
      run,
      line,
      attempt,
    );
  }

  settle(attempt: number, outcome: Outcome): Promise<void> {
    const time = this.#now();
    return this.#writer.write(() => this.#conclude(attempt, outcome, time));
  }

  #conclude(attempt: number, outcome: Outcome, time: number): void {
    const { state, http, code, reason, text } = toColumns(outcome);
    const { changes } = this.#database.write(
      `INSERT INTO outcomes (attempt, time, state, http, code, reason, text)
       SELECT id, ?, ?, ?, ?, ?, ? FROM attempts WHERE id = ? ON CONFLICT DO NOTHING`,
      ...[time, state, http, code, reason, text, attempt],
    );
    if (changes === 0) throw this.#refused(`attempt ${attempt} is unknown or settled already`);
    // Only the last attempt of a row speaks for it.
    this.#database.write(
      `UPDATE row_states SET state = ? WHERE attempt = ?
       AND (run, line) = (SELECT run, line FROM attempts WHERE id = ?)`,
      ...[state, attempt, attempt],
    );
  }

  #refused(words: string): LedgerError {
    return new LedgerError('refused', this.#database.file, words);
  }
}
