/**
 * Cases of the hostile suite. Each says what is tried and how often, and has a limit of its own. See
 * "Add a hostile case" in CONTRIBUTING.md.
 */
import { expect, test } from 'vitest';
import { atEnd, inScope, Scope, waitingFor } from '../support/scope.ts';
import type { Area, HostileCase } from './reliability.ts';

export { atEnd, waitingFor };

declare module 'vitest' {
  interface TaskMeta {
    hostile?: HostileCase;
  }
}

/** In `npm test`, where 0 times leave the case out, and in `npm run nightly`. */
export interface Amount {
  readonly short: number;
  readonly long: number;
}

export interface Declaration {
  /** What is done to lectern, in a few words. */
  readonly tried: string;
  /** How often the body runs; once unless given. */
  readonly times?: Amount;
  /** How many rows, runs or answers one repetition goes through by itself; counted as that many. */
  readonly size?: Amount;
  /** Why this machine cannot run the case, or undefined where it can. */
  readonly cannotRun?: () => string | undefined | Promise<string | undefined>;
}

export interface Repetition {
  /** From 0. */
  readonly repetition: number;
  /** The declaration's `size` for this form; 1 unless given. */
  readonly size: number;
  /** Aborted when the limit has passed. */
  readonly signal: AbortSignal;
}

/** Whether this is `npm run nightly`. */
export const IS_LONG = process.env.LECTERN_HOSTILE === 'long';

/** All items; in the short form one of every so many, from a place that counts up. */
export function sampled<Item>(items: readonly Item[], every: number, from = 0): readonly Item[] {
  return IS_LONG ? items : items.filter((_, at) => (at + from) % every === 0);
}

const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const ONCE: Amount = { short: 1, long: 1 };
/** One repetition that takes longer has failed, and reports what it waited for. */
const LIMIT_MS = IS_LONG ? 3_000_000 : 120_000;

/** Declares a case of the suite, and with that a test. */
type Declare = (
  declaration: Declaration,
  body: (repetition: Repetition) => void | Promise<void>,
) => void;

/** Declares the cases of a test file. */
export function hostileCases(area: Area): Declare {
  return (declaration, body) => declareCase(area, declaration, body);
}

function declareCase(area: Area, declaration: Declaration, body: Parameters<Declare>[1]): void {
  const { tried, times: amount = ONCE, cannotRun } = declaration;
  const form = IS_LONG ? 'long' : 'short';
  const times = amount[form];
  const size = (declaration.size ?? ONCE)[form];
  const described = { area, tried };
  const options = {
    meta: { hostile: described },
    // A backstop: the limit is held below, for each repetition.
    timeout: Math.min(times * LIMIT_MS + 60_000, LONGEST_TIMEOUT_MS),
    skip: times === 0,
  };
  test(`${area}: ${tried}`, options, async ({ task, skip }) => {
    const why = await cannotRun?.();
    if (why !== undefined) {
      task.meta.hostile = { ...described, result: { state: 'left out', why } };
      return skip(why);
    }
    for (let repetition = 0; repetition < times; repetition += 1) {
      await limited((signal) => body({ repetition, size, signal })).catch((error) => {
        throw times === 1 ? error : inRepetition(error, repetition, times);
      });
    }
    task.meta.hostile = { ...described, result: { state: 'passed', times: times * size } };
  });
}

/**
 * Runs a body, and ends what it started whether it ends or not. Rejects when it takes longer than
 * its limit, with what it was waiting for.
 */
async function limited(body: (signal: AbortSignal) => void | Promise<void>): Promise<void> {
  const scope = new Scope();
  const limit = new AbortController();
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const pending = scope.pending.join('; ') || 'nothing that it named';
      reject(new Error(`no end after ${LIMIT_MS} ms; it was waiting for: ${pending}`));
      limit.abort();
    }, LIMIT_MS);
  });
  try {
    await Promise.race([inScope(scope, async () => body(limit.signal)), passed]);
    // A body that never gave way to the timer is late all the same.
    const tookMs = Math.round(performance.now() - started);
    expect(tookMs, 'milliseconds that one repetition took').toBeLessThanOrEqual(LIMIT_MS);
  } finally {
    clearTimeout(timer);
    await scope.end();
  }
}

function inRepetition(error: unknown, repetition: number, times: number): unknown {
  if (error instanceof Error) {
    error.message = `repetition ${repetition + 1} of ${times}: ${error.message}`;
  }
  return error;
}
