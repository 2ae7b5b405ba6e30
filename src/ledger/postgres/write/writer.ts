import { randomUUID } from 'node:crypto';
import { untilTurnsEnd } from '../../../clock.ts';
import type { Clock } from '../../../ports.ts';
import { WITHDRAWN } from '../../columns.ts';
import { LedgerError, RecordTakenError } from '../../error.ts';
import type { Intent, Outcome, PendingAttempt } from '../../ledger.ts';
import type { Connection } from '../connection.ts';
import { isLost } from '../error.ts';
import {
  type KeptIntent,
  type MadeAttempt,
  type NewOutcome,
  type Outbox,
  UnstoredOutcomes,
  type Worker,
} from '../outbox/outbox.ts';
import * as sql from './write-sql.ts';

/** The maximum number of writes in one statement. */
const MOST_AT_ONCE = 1000;

interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface WaitingIntent extends sql.NewAttempt, Waiting<PendingAttempt> {}

interface WaitingOutcome extends NewOutcome, Waiting<void> {}

/**
 * Group commit: all intents and outcomes that arrive during a statement go together in the next
 * one. A statement may be repeated; the result of one that was lost with its connection is looked
 * up.
 */
export class AttemptWriter {
  readonly #connection: Connection;
  readonly #outbox: Outbox;
  readonly #unstored: UnstoredOutcomes;
  #intents: WaitingIntent[] = [];
  #outcomes: WaitingOutcome[] = [];
  #writing: Promise<void> | undefined;
  /** The attempts made here that have no outcome yet. */
  readonly #unsettled = new Map<PendingAttempt, MadeAttempt>();

  constructor(connection: Connection, outbox: Outbox, clock: Pick<Clock, 'monotonic' | 'sleep'>) {
    this.#connection = connection;
    this.#outbox = outbox;
    this.#unstored = new UnstoredOutcomes(outbox, clock);
  }

  intend(intent: Intent, target: number, worker: Worker | undefined): Promise<PendingAttempt> {
    const token = worker && intent.tries !== undefined ? null : randomUUID();
    return new Promise((resolve, reject) => {
      this.#intents.push({ intent, target, worker, token, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** An attempt of this process that has no outcome yet. */
  madeAttempt(attempt: PendingAttempt): MadeAttempt | undefined {
    return this.#unsettled.get(attempt);
  }

  /** The lines of a run that were sent here and await their outcome. */
  linesUnderWay(run: number): number[] {
    const made = [...this.#unsettled.values()].filter(({ intent }) => intent.run === run);
    return made.map(({ intent }) => intent.line ?? 0);
  }

  /** `made` is the attempt, if another process made it. */
  settle(
    attempt: PendingAttempt,
    outcome: Outcome,
    made: MadeAttempt | undefined = this.madeAttempt(attempt),
  ): Promise<void> {
    this.#unsettled.delete(attempt);
    return new Promise((resolve, reject) => {
      const waiting = { attempt: attempt.id, outcome, made, resolve, reject };
      this.#outcomes.push(waiting);
      this.#unstored.add(waiting);
      this.#writing ??= this.#writeAll();
    });
  }

  /** Settles an intent that was not sent, if the server has it. */
  async withdraw({ withdrawn }: KeptIntent): Promise<void> {
    await this.#connection.query(sql.WITHDRAW, { ...withdrawn, reason: WITHDRAWN.reason });
  }

  /** Resolves when all writes are done. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#unstored.close();
  }

  async #writeAll(): Promise<void> {
    while (this.#intents.length + this.#outcomes.length > 0) {
      await untilTurnsEnd();
      // The result of a statement names a row, and an attempt by its number.
      const intents = divide(this.#intents, ({ intent }) => sql.recordKey(intent.run, intent.line));
      const outcomes = divide(this.#outcomes, ({ attempt }) => attempt);
      this.#intents = intents.rest;
      this.#outcomes = outcomes.rest;
      await this.#write(intents.taken, outcomes.taken);
    }
    this.#writing = undefined;
  }

  async #write(intents: WaitingIntent[], outcomes: WaitingOutcome[]): Promise<void> {
    let isRepeated = false;
    try {
      const inserted = await this.#connection.query<sql.Inserted>(
        sql.WRITE,
        sql.writeParameters(intents, outcomes),
        {
          // Answers are stored on disk before waiting for anything else.
          onLost: async () => {
            isRepeated = true;
            await this.#unstored.keep(outcomes);
          },
        },
      );
      // A row with a key is an attempt, one without an outcome.
      const made = new Map(inserted.map(({ id, key }) => [key, id]));
      const kept = new Set(inserted.filter(({ key }) => key === null).map(({ id }) => id));
      await this.#conclude(outcomes, kept, isRepeated);
      await this.#answer(intents, made, isRepeated);
    } catch (error) {
      const fault = error instanceof LedgerError ? error.fault : 'other';
      if (fault === 'other' || fault === 'refused') {
        return this.#writeApart(intents, outcomes, error);
      }
      await this.#keepOutside(intents, outcomes, error);
    }
  }

  /** The server is away. The next lectern here delivers the outcomes. */
  async #keepOutside(
    intents: WaitingIntent[],
    outcomes: WaitingOutcome[],
    error: unknown,
  ): Promise<void> {
    try {
      await this.#unstored.keep(outcomes);
      this.#unstored.leave(outcomes);
      for (const { resolve } of outcomes) resolve();
    } catch (cause) {
      for (const waiting of outcomes) await this.#rejectOutcome(waiting, cause);
    }
    const isUnknown = intents.length > 0 && isLost(error);
    // If this fails they stay in doubt.
    if (isUnknown) await this.#outbox.keep(intents.map(keptIntent)).catch(() => {});
    for (const { reject } of intents) reject(error);
  }

  /** One invalid write must not fail the rest: each is tried again alone. */
  async #writeApart(
    intents: WaitingIntent[],
    outcomes: WaitingOutcome[],
    error: unknown,
  ): Promise<void> {
    const isOfOne = error instanceof LedgerError && error.fault === 'other';
    if (intents.length + outcomes.length > 1 && isOfOne) {
      for (const each of outcomes) await this.#write([], [each]);
      for (const each of intents) await this.#write([each], []);
      return;
    }
    for (const waiting of outcomes) await this.#rejectOutcome(waiting, error);
    for (const { reject } of intents) reject(error);
  }

  async #conclude(
    outcomes: readonly WaitingOutcome[],
    kept: ReadonlySet<number>,
    isRepeated: boolean,
  ): Promise<void> {
    const stored = outcomes.filter(({ attempt }) => kept.has(attempt));
    for (const { resolve } of stored) resolve();
    await this.#unstored.remove(stored);
    for (const waiting of outcomes) {
      if (!kept.has(waiting.attempt)) await this.#explainOutcome(waiting, isRepeated);
    }
  }

  /** Why an outcome was not stored: it was before, or its attempt is missing and is created again. */
  async #explainOutcome(waiting: WaitingOutcome, isRepeated: boolean): Promise<void> {
    const { attempt, outcome, made, resolve } = waiting;
    try {
      const values = sql.findAttemptParameters(waiting);
      const [row] = await this.#connection.query<{ found: boolean }>(sql.FIND_ATTEMPT, values);
      const isOwn = isRepeated || this.#unstored.isKept(waiting);
      if (row?.found ? !isOwn : !made) {
        const message = `attempt ${attempt} is unknown or settled already`;
        return await this.#rejectOutcome(waiting, this.#refused(message));
      }
      // An attempt that was not sent need not be created again.
      const isMissing = !row?.found && outcome.kind !== 'not_sent';
      if (made && isMissing) await sql.restoreAttempt(this.#connection, made, waiting);
      resolve();
      await this.#unstored.remove([waiting]);
    } catch (error) {
      await this.#keepOutside([], [waiting], error);
    }
  }

  async #rejectOutcome(waiting: WaitingOutcome, error: unknown): Promise<void> {
    waiting.reject(error);
    await this.#unstored.remove([waiting]);
  }

  async #answer(
    intents: WaitingIntent[],
    made: ReadonlyMap<string | null, number>,
    isRepeated: boolean,
  ): Promise<void> {
    const unknown: WaitingIntent[] = [];
    for (const waiting of intents) {
      const id = made.get(answerKey(waiting));
      if (id === undefined) unknown.push(waiting);
      else this.#resolve(waiting, id);
    }
    for (const waiting of unknown) await this.#explainIntent(waiting, isRepeated);
  }

  /**
   * Why an intent was not stored: it was before, another worker has the row, or the run has no such
   * line.
   */
  async #explainIntent(waiting: WaitingIntent, isRepeated: boolean): Promise<void> {
    const { run = 0, line = 0 } = waiting.intent;
    try {
      const key = { ...sql.attemptKey(waiting) };
      const [row] = await this.#connection.query<FoundIntent>(sql.FIND_INTENT, key);
      if (isRepeated && row && row.own !== null) this.#resolve(waiting, row.own);
      else if (row?.has) waiting.reject(new RecordTakenError(this.#connection.place, run, line));
      else waiting.reject(this.#refused(`run ${run} has no line ${line}`));
    } catch (error) {
      waiting.reject(error);
    }
  }

  #resolve(waiting: WaitingIntent, id: number): void {
    const { intent, worker, token } = waiting;
    const attempt = { id };
    this.#unsettled.set(attempt, { intent, worker, token });
    waiting.resolve(attempt);
  }

  #refused(message: string): LedgerError {
    return new LedgerError('refused', this.#connection.place, message);
  }
}

/** The writes of the next statement: at most one for each key. */
function divide<Write>(
  waiting: readonly Write[],
  keyOf: (write: Write) => string | number | undefined,
): { readonly taken: Write[]; readonly rest: Write[] } {
  const taken: Write[] = [];
  const rest: Write[] = [];
  const keys = new Set<string | number>();
  for (const write of waiting) {
    const key = keyOf(write);
    const goes = taken.length < MOST_AT_ONCE && (key === undefined || !keys.has(key));
    (goes ? taken : rest).push(write);
    if (key !== undefined) keys.add(key);
  }
  return { taken, rest };
}

interface FoundIntent {
  readonly own: number | null;
  readonly has: boolean;
}

function keptIntent(waiting: WaitingIntent): KeptIntent {
  return { withdrawn: sql.attemptKey(waiting) };
}

function answerKey({ token, intent }: WaitingIntent): string {
  return token ?? sql.recordKey(intent.run, intent.line) ?? '';
}
