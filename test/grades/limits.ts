import { Refusal } from '../../src/client/index.ts';
import { type GradeAttempt, MEMBER_PLACEHOLDER } from '../../src/contract/index.ts';
import type { SharedPace } from '../../src/ledger/index.ts';
import { Sender } from '../../src/grades/sender/sender.ts';
import { attemptRecord } from '../support/service.ts';
import { VirtualTime } from './virtual-time.ts';

/** Says of a request at a moment (ms) whether it is let through, else how long to wait in ms. */
export type Limit = (now: number) => number;

/** Allows `perSecond` requests a second; unused ones are saved up to `burst`. Answers whole seconds, as services do. */
export function bucket(perSecond: number, burst: number): Limit {
  let tokens = burst;
  let filled = 0;
  return (now) => {
    tokens = Math.min(burst, tokens + ((now - filled) * perSecond) / 1000);
    filled = now;
    if (tokens < 1) return 1000 * Math.max(1, Math.ceil((1 - tokens) / perSecond));
    tokens -= 1;
    return 0;
  };
}

/** Allows `count` requests in each span; the wait is until the next one. */
export function windows(count: number, spanMs: number): Limit {
  let window = -1;
  let used = 0;
  return (now) => {
    const current = Math.floor(now / spanMs);
    if (current !== window) used = 0;
    window = current;
    used += 1;
    return used <= count ? 0 : 1000 * Math.ceil(((current + 1) * spanMs - now) / 1000);
  };
}

/** Refuses a share of all requests, however slowly they come; the rest are for another limit. */
export function random(share: number, seed: number, rest: Limit = () => 0): Limit {
  const chance = chances(seed);
  return (now) => (chance() < share ? 1000 : rest(now));
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Course {
  readonly rows: number;
  readonly connections: number;
  readonly latencyMs: number;
  /** How long an answer takes by chance, in ms, around the latency; a machine that stalls makes all wait. */
  readonly stallMs?: number;
  /** How long a commit of the ledger takes, which all intents of that time share, in ms. */
  readonly commitMs?: number;
  readonly rate?: number;
  readonly pace?: (time: VirtualTime) => SharedPace;
}

export interface Seen {
  readonly seconds: number;
  readonly refused: number;
  /** Requests that came before their Retry-After. */
  readonly early: number;
  /** The moments of all requests in ms, in order. */
  readonly times: readonly number[];
}

/** Sends the rows of a course by as many senders as workers, at a service on a clock of its own. */
export async function sendAt(limit: Limit, course: Course, workers = 1): Promise<Seen> {
  const time = new VirtualTime();
  const seen = { refused: 0, early: 0 };
  const times: number[] = [];
  const way = course.stallMs === undefined ? undefined : stalling(course);
  const notBefore = new Map<string, number>();
  const attempt = attemptRecord() as unknown as GradeAttempt;
  const record = { status: 200, text: '{}', attempt };
  const client = (worker: number) => ({
    submitGrade: async (url: string) => {
      const key = `${worker} ${url}`;
      const now = time.monotonic();
      times.push(now);
      if (now < (notBefore.get(key) ?? 0)) seen.early += 1;
      if (way) await time.sleep(way(now));
      const waitMs = limit(time.monotonic());
      await time.sleep(way?.(time.monotonic()) ?? course.latencyMs);
      if (waitMs === 0) return record;
      seen.refused += 1;
      notBefore.set(key, time.monotonic() + waitMs);
      throw limited(url, waitMs);
    },
  });
  const all = Array.from({ length: course.rows }, (_, line) => ({
    line,
    member: String(line),
    body: '{"score":0.5}',
    state: 'not_sent' as const,
  }));
  const { commitMs } = course;
  const intend = async () => {
    if (commitMs) await time.sleep(commitMs - (time.monotonic() % commitMs));
    return { id: 1 };
  };
  const one = (worker: number) => {
    const sender = new Sender({
      client: client(worker),
      clock: time,
      concurrency: course.connections,
      rate: course.rate,
      run: RUN,
      claim: { done() {}, intentLifetimeMs: Infinity, pace: course.pace?.(time) },
      ledger: { intend, storeOutcome: async () => {}, withdraw: async () => {} },
    });
    return sender.send(
      (async function* () {
        yield* all;
      })(),
    );
  };
  const stops = await time.until(
    Promise.all(Array.from({ length: workers }, (_, worker) => one(worker))),
  );
  for (const stop of stops) if (stop?.kind === 'failed') throw stop.error;
  return { ...seen, seconds: time.monotonic() / 1000, times };
}

/** The refusal of a request that may be repeated after `retryAfterMs`. */
export function limited(url: string, retryAfterMs = 1): Refusal {
  return new Refusal({ ...REFUSAL, url, retryAfterMs });
}

const REFUSAL = {
  area: 'grades',
  status: 429,
  text: '',
  code: undefined,
  storageCause: undefined,
  dateMs: undefined,
  caller: undefined,
} as unknown as ConstructorParameters<typeof Refusal>[0];

const RUN = {
  id: 1,
  credential: 'api_key',
  target: { url: `http://127.0.0.1/contexts/c/members/${MEMBER_PLACEHOLDER}/grades`, origin: '' },
} as const;

function stalling({ latencyMs, stallMs = 0 }: Course): (now: number) => number {
  const chance = chances(1);
  let stalledUntil = 0;
  let nextStall = 100 + chance() * 400;
  return (now) => {
    if (now > nextStall) {
      stalledUntil = now + stallMs * (0.5 + chance());
      nextStall = stalledUntil + 50 + chance() * 400;
    }
    return (-latencyMs / 2) * Math.log(1 - chance()) + Math.max(0, stalledUntil - now);
  };
}
