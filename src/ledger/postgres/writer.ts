import { randomUUID } from 'node:crypto';
import { untilTurnsEnd } from '../../clock.ts';
import { checkIntent } from '../attempt-sql.ts';
import { outcomeToColumns, WITHDRAWN } from '../columns.ts';
import { LedgerError, RecordTakenError } from '../error.ts';
import type { AttemptWrites } from '../reader.ts';
import type {
  AnswerStore,
  GivenAttempt,
  GradeAddress,
  Intent,
  Outcome,
  PendingAttempt,
} from '../ledger.ts';
import type { Worker } from './claim/pass.ts';
import type { PostgresTargets } from './targets.ts';
import type { Connection } from './connection.ts';
import { isInvalid, isLost } from './error.ts';
import { addAttempts, putAttempts, type PutAttempt } from './put.ts';

/** The maximum number of writes in one statement. */
const MOST_AT_ONCE = 1000;

/** A write that waits: of an intent, or of an attempt with its outcome. */
interface Waiting {
  readonly attempt: PutAttempt;
  /** Set for an answer only. Resolves once it is in the local ledger: undefined, or why it is not. */
  readonly kept?: Promise<unknown> | undefined;
  readonly resolve: (id: number) => void;
  readonly reject: (error: unknown) => void;
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
export class AttemptWriter implements AttemptWrites {
  readonly #connection: Connection;
  readonly #own: OwnAnswers;
  readonly #targets: PostgresTargets;
  /** The worker that claimed a run in this process. */
  readonly #workerOf: (run: number | undefined) => Worker | undefined;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** Outcomes that are being removed from the local ledger. */
  readonly #dropping = new Set<Promise<void>>();
  /** The attempts made here that have no outcome yet. */
  readonly #made = new Map<PendingAttempt, PutAttempt>();

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
    checkIntent(intent, this.#connection.place);
    const worker = this.#workerOf(intent.run);
    const made = attemptOf(intent, worker, await this.#targets.idOf(intent));
    const attempt = { id: await this.#write(made) };
    this.#made.set(attempt, made);
    worker?.intended.add(intent.line ?? 0);
    return attempt;
  }

  async storeOutcome(
    attempt: PendingAttempt,
    outcome: Outcome,
    whose?: GradeAddress,
  ): Promise<void> {
    const made = this.#made.get(attempt);
    if (!made) {
      const message = `attempt ${attempt.id} is unknown, or has an outcome`;
      throw new LedgerError('refused', this.#connection.place, message);
    }
    this.#made.delete(attempt);
    const { token, run, line } = made;
    if (outcome.kind === 'not_sent') this.#workerOf(run ?? undefined)?.intended.delete(line ?? 0);
    const answer = withOutcome(made, outcome);
    await this.#write(answer, this.#keep([answer]));
    if (!whose) return;
    const named = async (): Promise<unknown> => {
      const target = await this.#targets.idOf(whose);
      return this.#connection.query(SET_MEMBER, { member: whose.member, token, target });
    };
    // The outcome is stored, whatever comes of this.
    await named().catch(() => {});
  }

  withdraw(attempt: PendingAttempt): Promise<void> {
    return this.storeOutcome(attempt, WITHDRAWN);
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

  /** Removes answers that the server has; one that is left is delivered again, without effect. */
  #drop(outcomes: readonly Waiting[]): void {
    if (outcomes.length === 0) return;
    const tokens = outcomes.map(({ attempt }) => attempt.token);
    const dropping = Promise.all(outcomes.map(({ kept }) => kept))
      .then(() => this.#own.store.dropAnswers(tokens))
      .catch(() => {})
      .finally(() => this.#dropping.delete(dropping));
    this.#dropping.add(dropping);
  }

  /** Resolves with the number of the attempt on the server. */
  #write(attempt: PutAttempt, kept?: Promise<unknown>): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ attempt, kept, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await untilTurnsEnd();
      await this.#put(this.#waiting.splice(0, MOST_AT_ONCE));
    }
    this.#writing = undefined;
  }

  async #put(group: readonly Waiting[]): Promise<void> {
    const outcomes = group.filter(({ kept }) => kept);
    let open = group;
    try {
      const attempts = group.filter(({ kept }) => !kept).map(({ attempt }) => attempt);
      const answers = outcomes.map(({ attempt }) => attempt);
      const { ids } = await putAttempts(this.#connection, { attempts, answers, claims: true });
      for (const { attempt, kept, resolve, reject } of group) {
        const id = ids.get(attempt.token);
        if (id !== undefined) resolve(id);
        else if (!kept) reject(this.#refusalOf(attempt));
      }
      open = outcomes;
      // After a failover the server may lack the attempt.
      const missing = answers.filter(({ token }) => !ids.has(token));
      if (missing.length > 0) await addAttempts(this.#connection, this.#targets, missing);
      this.#drop(outcomes);
      for (const { resolve } of outcomes) resolve(0);
    } catch (error) {
      await this.#fail(open, error);
    }
  }

  #refusalOf({ run, line, worker }: PutAttempt): LedgerError {
    const { place } = this.#connection;
    if (worker !== null) return new RecordTakenError(place, run ?? 0, line ?? 0);
    return new LedgerError('refused', place, `run ${run} has no line ${line}`);
  }

  async #fail(group: readonly Waiting[], error: unknown): Promise<void> {
    const isOfOne = isInvalid(error);
    // One invalid write must not fail the rest: each is tried again alone.
    if (isOfOne && group.length > 1) {
      for (const each of group) await this.#put([each]);
      return;
    }
    const intents = group.filter(({ kept }) => !kept).map(({ attempt }) => attempt);
    // The server may have stored them; they were not sent. If this fails they stay in doubt.
    if (isLost(error)) await this.#keep(intents.map((each) => withOutcome(each, WITHDRAWN)));
    for (const { kept, resolve, reject } of group) {
      const fault = kept ? await kept : error;
      // The next lectern here delivers an outcome that is in the local ledger.
      if (fault === undefined && !isOfOne) resolve(0);
      else reject(fault ?? error);
    }
    if (isOfOne) this.#drop(group.filter(({ kept }) => kept));
  }
}

const SET_MEMBER = `UPDATE lectern.attempts SET member = :member, target = :target
  WHERE token = :token AND member = ''`;

/** An intent, with the server's time. */
function attemptOf(intent: Intent, worker: Worker | undefined, target: number): PutAttempt {
  const { url, member, credential, body, run = null, line = null } = intent;
  const { location = null, context = null, tries = null } = intent;
  const made = { url, member, location, context, credential, body, run, line };
  const own = { worker: worker?.id ?? null, pass: worker?.pass ?? null };
  const unknown = { time: null, outcome: null, evidence: [] };
  return { token: randomUUID(), ...made, ...own, ...unknown, target, try: tries };
}

function withOutcome(attempt: PutAttempt, outcome: Outcome): PutAttempt {
  return { ...attempt, outcome: { time: null, ...outcomeToColumns(outcome) } };
}
