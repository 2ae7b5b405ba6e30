import { randomUUID } from 'node:crypto';
import type { Connection } from './connection.ts';
import { LedgerError, RowTakenError } from '../error.ts';
import type { Intent, Outcome } from '../ledger.ts';
import { toColumns } from '../outcome-columns.ts';
import { isLost } from './error.ts';
import type { KeptIntent, KeptOutcome, Outbox } from './outbox.ts';

/** So many writes go in one statement at most. */
const MOST_AT_ONCE = 1000;

/** Who writes: which pass of a run a worker is in. */
export interface Worker {
  readonly id: number;
  readonly run: number;
  readonly pass: number;
}

interface Waiting<Result> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface WaitingIntent extends Waiting<number> {
  readonly intent: Intent;
  readonly target: number;
  readonly worker: Worker | undefined;
  /** Tells an attempt that nobody claimed; a claimed one is known by its row and worker. */
  readonly token: string | null;
}

interface WaitingOutcome extends Waiting<void> {
  readonly attempt: number;
  readonly outcome: Outcome;
}

/**
 * Group commit: all intents and outcomes that come while a statement is under way go together in the
 * next one. A statement may be repeated: what a lost connection left undecided is looked up.
 */
export class Writer {
  readonly #connection: Connection;
  readonly #outbox: Outbox;
  #intents: WaitingIntent[] = [];
  #outcomes: WaitingOutcome[] = [];
  #writing: Promise<void> | undefined;

  constructor(connection: Connection, outbox: Outbox) {
    this.#connection = connection;
    this.#outbox = outbox;
  }

  intend(intent: Intent, target: number, worker: Worker | undefined): Promise<number> {
    const token = worker && intent.tries !== undefined ? null : randomUUID();
    return new Promise((resolve, reject) => {
      this.#intents.push({ intent, target, worker, token, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  settle(attempt: number, outcome: Outcome): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#outcomes.push({ attempt, outcome, resolve, reject });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Tells of an intent that it came to no POST, where the server has it. */
  async withdraw({ withdrawn }: KeptIntent): Promise<void> {
    const { token, run, line, worker, try: tries } = withdrawn;
    const values = [token, run, line, tries, worker, WITHDRAWN];
    await this.#connection.query(WITHDRAW, values);
  }

  /** Resolves when nothing waits any more. */
  async drain(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#intents.length + this.#outcomes.length > 0) {
      await new Promise(setImmediate);
      await this.#write(this.#takeIntents(), this.#outcomes.splice(0, MOST_AT_ONCE));
    }
    this.#writing = undefined;
  }

  /** A statement has each row once: one attempt cannot be told from another of the same row. */
  #takeIntents(): WaitingIntent[] {
    const taken: WaitingIntent[] = [];
    const rest: WaitingIntent[] = [];
    const rows = new Set<string>();
    for (const waiting of this.#intents) {
      const key = rowKey(waiting.intent.run, waiting.intent.line);
      const goes = taken.length < MOST_AT_ONCE && (key === undefined || !rows.has(key));
      (goes ? taken : rest).push(waiting);
      if (key !== undefined) rows.add(key);
    }
    this.#intents = rest;
    return taken;
  }

  async #write(intents: WaitingIntent[], outcomes: WaitingOutcome[]): Promise<void> {
    let isRepeated = false;
    let keptOutside: Promise<string> | undefined;
    try {
      const rows = await this.#connection.query<WrittenRow>(WRITE, parameters(intents, outcomes), {
        // What has been answered is safe before anything else is waited for.
        onLost: async () => {
          isRepeated = true;
          if (outcomes.length > 0)
            await (keptOutside ??= this.#outbox.keep(outcomes.map(keptOutcome)));
        },
      });
      this.#conclude(outcomes, rows, isRepeated);
      await this.#answer(intents, rows, isRepeated);
      if (keptOutside) await this.#outbox.discard(await keptOutside);
    } catch (error) {
      const fault = error instanceof LedgerError ? error.fault : 'other';
      if (fault === 'other' || fault === 'refused') {
        return this.#writeApart(intents, outcomes, error);
      }
      await this.#keepOutside(intents, outcomes, error, keptOutside);
    }
  }

  /** The server takes nothing now. The next lectern here delivers what there is to be told. */
  async #keepOutside(
    intents: WaitingIntent[],
    outcomes: WaitingOutcome[],
    error: unknown,
    kept: Promise<unknown> | undefined,
  ): Promise<void> {
    try {
      if (outcomes.length > 0) await (kept ?? this.#outbox.keep(outcomes.map(keptOutcome)));
      for (const { resolve } of outcomes) resolve();
    } catch (cause) {
      for (const { reject } of outcomes) reject(cause);
    }
    const isUnknown = intents.length > 0 && isLost((error as LedgerError).cause);
    // Without it they stay in doubt.
    if (isUnknown) await this.#outbox.keep(intents.map(keptIntent)).catch(() => {});
    for (const { reject } of intents) reject(error);
  }

  /** One bad write must not take its neighbours along: each is tried again alone. */
  async #writeApart(
    intents: WaitingIntent[],
    outcomes: WaitingOutcome[],
    error: unknown,
  ): Promise<void> {
    const isOfOne = error instanceof LedgerError && error.fault === 'other';
    if (intents.length + outcomes.length > 1 && isOfOne) {
      for (const each of outcomes) await this.#write([], [each]);
      for (const each of intents) await this.#write([each], []);
    } else for (const { reject } of [...intents, ...outcomes]) reject(error);
  }

  #conclude(outcomes: WaitingOutcome[], rows: readonly WrittenRow[], isRepeated: boolean): void {
    const kept = new Set(rows.map(({ settled }) => settled));
    for (const { attempt, resolve, reject } of outcomes) {
      // Kept by the statement whose answer was lost.
      if (kept.has(attempt) || isRepeated) resolve();
      else reject(this.#refused(`attempt ${attempt} is unknown or settled already`));
    }
  }

  async #answer(
    intents: WaitingIntent[],
    rows: readonly WrittenRow[],
    isRepeated: boolean,
  ): Promise<void> {
    const ids = new Map(rows.map(({ id, token, run, line }) => [token ?? rowKey(run, line), id]));
    const unknown: WaitingIntent[] = [];
    for (const waiting of intents) {
      const id = ids.get(keyOf(waiting));
      if (id === undefined || id === null) unknown.push(waiting);
      else waiting.resolve(id);
    }
    for (const waiting of unknown) await this.#explain(waiting, isRepeated);
  }

  /** Why an intent was not kept: it was before, another has the row, or the run has no such line. */
  async #explain(waiting: WaitingIntent, isRepeated: boolean): Promise<void> {
    const { token, worker, resolve, reject } = waiting;
    const { run = null, line = null, tries = null } = waiting.intent;
    try {
      const [row] = await this.#connection.query<{ own: number | null; has: boolean }>(FIND, [
        token,
        run,
        line,
        tries,
        worker?.id ?? null,
      ]);
      if (isRepeated && row && row.own !== null) resolve(row.own);
      else if (row?.has) reject(new RowTakenError(this.#connection.place, run ?? 0, line ?? 0));
      else reject(this.#refused(`run ${run} has no line ${line}`));
    } catch (error) {
      reject(error);
    }
  }

  #refused(words: string): LedgerError {
    return new LedgerError('refused', this.#connection.place, words);
  }
}

function keptOutcome({ attempt, outcome }: WaitingOutcome): KeptOutcome {
  return { attempt, outcome };
}

function keptIntent({ intent, token, worker }: WaitingIntent): KeptIntent {
  const { run = null, line = null, tries = null } = intent;
  return { withdrawn: { token, run, line, worker: worker?.id ?? null, try: tries } };
}

function rowKey(run: number | null | undefined, line: number | null | undefined) {
  return run === null || run === undefined ? undefined : `${run}:${line}`;
}

function keyOf({ token, intent }: WaitingIntent): string | undefined {
  return token ?? rowKey(intent.run, intent.line);
}

interface WrittenRow {
  readonly id: number | null;
  readonly token: string | null;
  readonly run: number | null;
  readonly line: number | null;
  readonly settled: number | null;
}

const WRITE = `
  WITH made AS (
    INSERT INTO lectern.attempts
      (target, member, credential, body, run, line, try, token, pass, worker)
    SELECT target, member, credential, body, run, line,
      CASE WHEN run IS NOT NULL THEN coalesce(try, (
        SELECT max(earlier.try) + 1 FROM lectern.attempts AS earlier
        WHERE earlier.run = given.run AND earlier.line = given.line), 0) END,
      token, pass, worker
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
      $7::int[], $8::uuid[], $9::int[], $10::bigint[])
      AS given (target, member, credential, body, run, line, try, token, pass, worker)
    WHERE run IS NULL OR EXISTS (
      SELECT FROM lectern.run_rows AS row WHERE row.run = given.run AND row.line = given.line)
    ON CONFLICT DO NOTHING
    RETURNING id, token, run, line
  ), kept AS (
    INSERT INTO lectern.outcomes (attempt, state, http, code, reason, text, bytes)
    SELECT given.* FROM unnest($11::bigint[], $12::text[], $13::int[], $14::text[], $15::text[],
      $16::text[], $17::bytea[]) AS given (attempt, state, http, code, reason, text, bytes)
    WHERE EXISTS (SELECT FROM lectern.attempts WHERE id = given.attempt)
    ON CONFLICT DO NOTHING
    RETURNING attempt
  )
  SELECT id, token, run, line, NULL::bigint AS settled FROM made
  UNION ALL SELECT NULL, NULL, NULL, NULL, attempt FROM kept`;

/** Of an attempt that came to no POST. */
export const WITHDRAWN = 'withdrawn before it was sent';

const WITHDRAW = `
  INSERT INTO lectern.outcomes (attempt, state, reason)
  SELECT id, 'not_sent', $6 FROM lectern.attempts
  WHERE CASE WHEN $1::uuid IS NOT NULL THEN token = $1
    ELSE run = $2 AND line = $3 AND try = $4 AND worker = $5 END
  ON CONFLICT DO NOTHING`;

const FIND = `
  SELECT
    (SELECT id FROM lectern.attempts WHERE CASE WHEN $1::uuid IS NOT NULL THEN token = $1
      ELSE run = $2 AND line = $3 AND try = $4 AND worker = $5 END) AS own,
    EXISTS (SELECT FROM lectern.run_rows WHERE run = $2::bigint AND line = $3::bigint) AS has`;

function parameters(intents: readonly WaitingIntent[], outcomes: readonly WaitingOutcome[]) {
  return [
    intents.map(({ target }) => target),
    intents.map(({ intent }) => intent.member),
    intents.map(({ intent }) => intent.credential),
    intents.map(({ intent }) => intent.body),
    intents.map(({ intent }) => intent.run ?? null),
    intents.map(({ intent }) => intent.line ?? null),
    intents.map(({ intent }) => intent.tries ?? null),
    intents.map(({ token }) => token),
    intents.map(({ worker }) => worker?.pass ?? null),
    intents.map(({ worker }) => worker?.id ?? null),
    ...outcomeParameters(outcomes),
  ];
}

/** Arrays for `unnest`: attempt, state, http, code, reason, text, bytes. */
export function outcomeParameters(
  outcomes: readonly Pick<WaitingOutcome, 'attempt' | 'outcome'>[],
): unknown[][] {
  const settled = outcomes.map(({ outcome }) => toColumns(outcome));
  const texts = settled.map(({ text }) => (typeof text === 'string' ? text : null));
  const hasNul = (text: string | null): boolean => text?.includes('\0') === true;
  return [
    outcomes.map(({ attempt }) => attempt),
    settled.map(({ state }) => state),
    settled.map(({ http }) => http),
    settled.map(({ code }) => code),
    settled.map(({ reason }) => reason),
    texts.map((text) => (hasNul(text) ? null : text)),
    texts.map((text) => (hasNul(text) ? Buffer.from(text ?? '') : null)),
  ];
}
