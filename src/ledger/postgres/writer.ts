import { randomUUID } from 'node:crypto';
import { untilTurnsEnd } from '../../clock.ts';
import { columnsOf, outcomeToColumns, select, WITHDRAWN } from '../columns.ts';
import { LedgerError, RecordTakenError } from '../error.ts';
import type { AnswerStore, GivenAttempt, Intent, Outcome, PendingAttempt } from '../ledger.ts';
import type { PostgresTargets, Worker, Writes } from './attempts.ts';
import { IS_HERE } from './claim/claim-sql.ts';
import {
  givenRows,
  jsonRows,
  nextTry,
  SHARED_ATTEMPT,
  SHARED_OUTCOME,
  toSharedOutcome,
} from './columns.ts';
import type { Connection, PreparedStatement } from './connection.ts';
import { isLost } from './error.ts';
import { addAttempts } from './import.ts';

/** The maximum number of writes in one statement. */
const MOST_AT_ONCE = 1000;

/** An attempt of this process. `token` identifies it, whatever number a server assigns to it. */
interface MadeAttempt {
  readonly intent: Intent;
  readonly worker: Worker | undefined;
  readonly token: string;
}

interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface WaitingIntent extends MadeAttempt, Waiting<number> {
  readonly target: number;
}

interface WaitingOutcome extends Waiting<void> {
  readonly answer: GivenAttempt;
  /** Resolves once it is in the local ledger, or with the reason why it is not. */
  readonly kept: Promise<unknown>;
}

/** The local ledger, and the name of the shared one in it. */
export interface OwnAnswers {
  readonly store: AnswerStore;
  readonly ledger: string;
}

/**
 * Group commit: all intents and outcomes that arrive during a statement go together in the next one,
 * which may be repeated after a lost connection. An outcome is stored in the local ledger meanwhile, until
 * the server has it. It goes to the server with the next intent of its connection at the latest, so that
 * a worker that is killed leaves no more in doubt than two records per connection.
 */
export class AttemptWriter implements Writes {
  readonly #connection: Connection;
  readonly #own: OwnAnswers;
  readonly #targets: PostgresTargets;
  /** The worker that claimed a run in this process. */
  readonly #workerOf: (run: number | undefined) => Worker | undefined;
  #intents: WaitingIntent[] = [];
  #outcomes: WaitingOutcome[] = [];
  #writing: Promise<void> | undefined;
  /** Outcomes that are being removed from the local ledger. */
  readonly #dropping = new Set<Promise<void>>();
  /** The attempts made here that have no outcome yet. */
  readonly #made = new Map<PendingAttempt, MadeAttempt>();

  constructor(
    connection: Connection,
    own: OwnAnswers,
    targets: PostgresTargets,
    workerOf: (run: number | undefined) => Worker | undefined,
  ) {
    this.#connection = connection;
    this.#own = own;
    this.#targets = targets;
    this.#workerOf = workerOf;
  }

  async intend(intent: Intent): Promise<PendingAttempt> {
    const target = await this.#targets.idOf(intent);
    const worker = this.#workerOf(intent.run);
    const made = { intent, worker, token: randomUUID() };
    const id = await new Promise<number>((resolve, reject) => {
      this.#intents.push({ ...made, target, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
    const attempt = { id };
    this.#made.set(attempt, made);
    worker?.intended.add(intent.line ?? 0);
    return attempt;
  }

  /** Resolves with the token of the attempt. */
  async settle(attempt: PendingAttempt, outcome: Outcome): Promise<string> {
    const made = this.#made.get(attempt);
    if (!made) {
      const message = `attempt ${attempt.id} is unknown or settled already`;
      throw new LedgerError('refused', this.#connection.place, message);
    }
    this.#made.delete(attempt);
    if (outcome.kind === 'not_sent') made.worker?.intended.delete(made.intent.line ?? 0);
    const answer = answerOf(made, outcome);
    const kept = this.#keep([answer]);
    await new Promise<void>((resolve, reject) => {
      this.#outcomes.push({ answer, kept, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
    return made.token;
  }

  /** Resolves when all writes are done. */
  async close(): Promise<void> {
    await this.#writing;
    await Promise.all(this.#dropping);
  }

  /** Resolves with an error where the local ledger takes nothing: then the server may. */
  async #keep(answers: readonly GivenAttempt[]): Promise<unknown> {
    const { store, ledger } = this.#own;
    return store.keepAnswers(ledger, answers).catch((error: unknown) => error);
  }

  /** One that is left is delivered again, and does no harm. */
  #drop(outcomes: readonly WaitingOutcome[]): void {
    if (outcomes.length === 0) return;
    const tokens = outcomes.map(({ answer }) => answer.token);
    const dropping = Promise.all(outcomes.map(({ kept }) => kept))
      .then(() => this.#own.store.dropAnswers(tokens))
      .catch(() => {})
      .finally(() => this.#dropping.delete(dropping));
    this.#dropping.add(dropping);
  }

  async #writeAll(): Promise<void> {
    while (this.#intents.length + this.#outcomes.length > 0) {
      await untilTurnsEnd();
      await this.#write(
        this.#intents.splice(0, MOST_AT_ONCE),
        this.#outcomes.splice(0, MOST_AT_ONCE),
      );
    }
    this.#writing = undefined;
  }

  async #write(intents: WaitingIntent[], outcomes: WaitingOutcome[]): Promise<void> {
    const answers = outcomes.map(({ answer }) => answer);
    try {
      const rows = await this.#connection.query<{ id: number; token: string }>(WRITE, {
        intents: jsonRows(intents.map(attemptRow)),
        outcomes: jsonRows(answers.map(outcomeRow)),
        tokens: [...intents, ...answers].map(({ token }) => token),
      });
      const idOf = new Map(rows.map(({ id, token }) => [token, id]));
      for (const waiting of intents) {
        const id = idOf.get(waiting.token);
        if (id === undefined) waiting.reject(this.#refusalOf(waiting));
        else waiting.resolve(id);
      }
      // After a failover the server may lack the attempt.
      const missing = answers.filter(({ token }) => !idOf.has(token));
      if (missing.length > 0) await addAttempts(this.#connection, this.#targets, missing);
      this.#drop(outcomes);
      for (const { resolve } of outcomes) resolve();
    } catch (error) {
      await this.#fail(intents, outcomes, error);
    }
  }

  #refusalOf({ intent, worker }: MadeAttempt): LedgerError {
    const { run = 0, line = 0 } = intent;
    const { place } = this.#connection;
    if (worker) return new RecordTakenError(place, run, line);
    return new LedgerError('refused', place, `run ${run} has no line ${line}`);
  }

  async #fail(intents: WaitingIntent[], outcomes: WaitingOutcome[], error: unknown): Promise<void> {
    const isOfOne = error instanceof LedgerError && error.fault === 'other';
    // One invalid write must not fail the rest: each is tried again alone.
    if (isOfOne && intents.length + outcomes.length > 1) {
      for (const each of outcomes) await this.#write([], [each]);
      for (const each of intents) await this.#write([each], []);
      return;
    }
    for (const { kept, resolve, reject } of outcomes) {
      const fault = await kept;
      // The next lectern here delivers it.
      if (fault === undefined && !isOfOne) resolve();
      else reject(fault ?? error);
    }
    if (isOfOne) this.#drop(outcomes);
    // The server may have stored them; they were not sent. If this fails they stay in doubt.
    if (isLost(error)) await this.#keep(intents.map((each) => answerOf(each, WITHDRAWN)));
    for (const { reject } of intents) reject(error);
  }
}

/** An attempt as it is handed on, with the server's time. */
function answerOf({ intent, worker, token }: MadeAttempt, outcome: Outcome): GivenAttempt {
  const { url, member, credential, body, run = null, line = null } = intent;
  const { location = null, context = null } = intent;
  return {
    token,
    time: null,
    url,
    member,
    location,
    context,
    credential,
    body,
    run,
    line,
    worker: worker?.id ?? null,
    pass: worker?.pass ?? null,
    outcome: { time: null, ...outcomeToColumns(outcome) },
    evidence: [],
  };
}

function attemptRow({ intent, target, token, worker }: WaitingIntent) {
  const { member, credential, body, run, line, tries } = intent;
  const made = { target, member, credential, body, run, line, try: tries, token };
  return { ...made, pass: worker?.pass, worker: worker?.id };
}

function outcomeRow({ token, outcome }: GivenAttempt) {
  return { token, ...(outcome && toSharedOutcome(outcome)) };
}

/**
 * All waiting intents and outcomes. It returns each attempt that is stored: an intent that is not among
 * them was refused, since another worker has its row, the run has none, or its pass is over by a
 * failover. An outcome of an attempt that is stored is, too.
 */
const WRITE: PreparedStatement = {
  name: 'lectern_write',
  text: `
  WITH made AS (
    INSERT INTO lectern.attempts ${select({
      ...columnsOf('given', SHARED_ATTEMPT),
      try: `CASE WHEN given.run IS NOT NULL THEN coalesce(given.try, ${nextTry('given')}) END`,
    })}
    FROM ${givenRows(':intents', SHARED_ATTEMPT)}
    WHERE given.run IS NULL OR (SELECT true FROM lectern.run_rows AS row
      WHERE row.run = given.run AND row.line = given.line AND (given.pass IS NULL OR EXISTS (
        SELECT FROM lectern.passes WHERE passes.run = given.run AND passes.pass = given.pass
          AND ${IS_HERE})))
    ON CONFLICT DO NOTHING
    RETURNING id, token
  ), kept AS (
    INSERT INTO lectern.outcomes ${select({
      ...columnsOf('given', SHARED_OUTCOME),
      attempt: 'attempts.id',
    })}
    FROM ${givenRows(':outcomes', { ...SHARED_OUTCOME, token: 'uuid' })}
      JOIN lectern.attempts ON attempts.token = given.token
    ON CONFLICT DO NOTHING
  )
  SELECT id, token FROM made
  UNION ALL SELECT id, token FROM lectern.attempts WHERE token = ANY (:tokens::uuid[])`,
};
