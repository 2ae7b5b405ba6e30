import { describe, expect, test } from 'vitest';
import { RateLimiter } from '../../src/grades/rate-limiter.ts';
import { RecordQueue } from '../../src/grades/record-queue.ts';
import { Semaphore } from '../../src/grades/sender.ts';
import { VirtualTime } from './virtual-time.ts';

/** Says of a request at a moment (ms) whether it is let through, else how long to wait in ms. */
type Limiter = (now: number) => number;

/** Allows `perSecond` requests a second; unused ones are saved up to `burst`. Answers whole seconds, as services do. */
function bucket(perSecond: number, burst: number): Limiter {
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
function windows(count: number, spanMs: number): Limiter {
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

/** Refuses a share of all requests, however slowly they come; the rest are for another limiter. */
function random(share: number, seed: number, waitMs = 250, rest: Limiter = () => 0): Limiter {
  const chance = chances(seed);
  return (now) => (chance() < share ? waitMs : rest(now));
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

interface Run {
  readonly rows: number;
  readonly connections: number;
  readonly latencyMs: number;
  readonly cap?: number;
  /** How long a request, and an answer, is on its way, in ms; else an answer takes `latencyMs`. */
  readonly way?: (now: number) => number;
}

/** Random delays of a request or an answer; now and then a machine stalls, and all wait. */
function unevenWay(seed: number, meanMs: number, stallMs: number): (now: number) => number {
  const chance = chances(seed);
  let stalledUntil = 0;
  let nextStall = 100 + chance() * 400;
  return (now) => {
    if (now > nextStall) {
      stalledUntil = now + stallMs * (0.5 + chance());
      nextStall = stalledUntil + 50 + chance() * 400;
    }
    return -meanMs * Math.log(1 - chance()) + Math.max(0, stalledUntil - now);
  };
}

/** Sends rows through a limiter as the sender does, on a clock of its own. */
async function simulate(service: Limiter, run: Run) {
  return simulateTogether(service, run, 1);
}

/** Several workers send as many rows each, at a service whose limit they share. */
async function simulateTogether(service: Limiter, run: Run, workers: number) {
  const time = new VirtualTime();
  const all = await time.until(
    Promise.all(Array.from({ length: workers }, () => sendAll(service, run, time))),
  );
  return {
    seconds: time.monotonic() / 1000,
    refused: all.reduce((sum, each) => sum + each.refused, 0),
    early: all.reduce((sum, each) => sum + each.early, 0),
    sent: all.flatMap((each) => each.sent),
  };
}

async function sendAll(service: Limiter, run: Run, time: VirtualTime) {
  const { rows, latencyMs, cap, way } = run;
  const connections = new Semaphore(run.connections);
  const limiter = new RateLimiter(time, cap);
  const all = Array.from({ length: rows }, (_, line) => ({
    line,
    member: '',
    body: '',
    state: 'not_sent' as const,
  }));
  const queue = new RecordQueue(
    (async function* () {
      yield all;
    })(),
    time,
  );
  const sent: number[] = [];
  let refused = 0;
  let early = 0;
  const notBefore = new Map<number, number>();
  const work = async (): Promise<void> => {
    for (let taken = await queue.take(); taken; taken = await queue.take()) {
      let letGoAt: number;
      for (;;) {
        await limiter.acquire();
        letGoAt = time.monotonic();
        await connections.acquire();
        if (!limiter.isRecalled(letGoAt)) break;
        connections.release();
      }
      const sentAt = time.monotonic();
      sent.push(sentAt);
      if (sentAt < (notBefore.get(taken.row.line) ?? 0)) early += 1;
      if (way) await time.sleep(way(sentAt));
      const waitMs = service(time.monotonic());
      await time.sleep(way?.(time.monotonic()) ?? latencyMs);
      connections.release();
      if (waitMs === 0) {
        limiter.accepted(sentAt);
        queue.done();
      } else {
        refused += 1;
        notBefore.set(taken.row.line, time.monotonic() + waitMs);
        limiter.refused(sentAt, waitMs);
        queue.putBack(taken, time.monotonic() + waitMs);
      }
    }
  };
  // While a record is being sent, the intent of the next one of the connection is being stored.
  await Promise.all(Array.from({ length: 2 * run.connections }, work));
  return { refused, early, sent };
}

/** The seeds of runs that differ by chance: two, and in `npm run nightly` more. */
function seeds(long: number): number[] {
  const count = process.env.LECTERN_HOSTILE === 'long' ? long : 2;
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Rows, connections, latency in ms, and what is allowed a second. */
const MANY = { rows: 20_000, connections: 64, latencyMs: 3 };

describe('a limiter that learns its rate', () => {
  test.each<[string, Limiter, Run, number]>([
    ['a token bucket', bucket(1000, 100), MANY, 1000],
    ['a token bucket, few connections', bucket(1000, 100), { ...MANY, connections: 4 }, 1000],
    [
      'a token bucket, long latency',
      bucket(1000, 100),
      { ...MANY, connections: 256, latencyMs: 50 },
      1000,
    ],
    ['a small token bucket', bucket(1000, 5), MANY, 1000],
    ['a large token bucket', bucket(1000, 1000), MANY, 1000],
    ['a window of a second', windows(1000, 1000), MANY, 1000],
    ['a window of a tenth of a second', windows(100, 100), MANY, 1000],
    ['few requests a second', bucket(50, 5), { rows: 2000, connections: 4, latencyMs: 20 }, 50],
    // The first hundred are free.
    ['a window of a minute', windows(100, 60_000), { ...MANY, rows: 600 }, 100 / 60],
  ])('reaches the rate that a service allows: %s', async (name, limiter, run, allowed) => {
    const { seconds, refused, early } = await simulate(limiter, run);
    expect(run.rows / seconds / allowed).toBeGreaterThan(0.85);
    // Where few are allowed, each question whether there are more is a large share.
    const share = name.includes('minute') ? 0.45 : name.includes('few requests') ? 0.1 : 0.05;
    expect(refused / run.rows).toBeLessThan(share);
    expect(early).toBe(0);
  });

  test.each([64, 4])(
    'reaches the allowed rate on machines that stall, over %i connections',
    async (connections) => {
      for (const seed of seeds(8)) {
        const run = { ...MANY, rows: 15_000, connections, way: unevenWay(seed, 1, 30) };
        const { seconds, refused } = await simulate(bucket(1000, 100), run);
        expect(run.rows / seconds / 1000).toBeGreaterThan(0.85);
        expect(refused / run.rows).toBeLessThan(0.05);
      }
    },
  );

  test('reaches the allowed rate over many connections whose first requests are refused for long', async () => {
    for (const seed of seeds(4)) {
      const run = { ...MANY, rows: 10_000, connections: 256, way: unevenWay(seed, 20, 0) };
      const { seconds, refused } = await simulate(bucket(1000, 100), run);
      expect(run.rows / seconds / 1000).toBeGreaterThan(0.8);
      // The first requests of all connections are some hundreds.
      expect(refused / run.rows).toBeLessThan(0.1);
    }
  });

  test.each([1, 4, 16])(
    'starts at once after its first request is refused, over %i connections',
    async (connections) => {
      // For a second nothing is allowed, and then everything.
      const limiter: Limiter = (now) => (now < 1000 ? 1000 : 0);
      const { seconds, refused } = await simulate(limiter, {
        rows: 200,
        connections,
        latencyMs: 3,
      });
      expect(seconds).toBeLessThan(3);
      expect(refused).toBeLessThan(10 + connections);
    },
  );

  test('waits for the next window if the first one is already used up', async () => {
    const window = windows(100, 20_000);
    for (let each = 0; each < 100; each += 1) window(0);
    const { seconds } = await simulate(window, { rows: 300, connections: 4, latencyMs: 10 });
    expect(seconds).toBeLessThan(70);
  });

  test('adapts to a limit that falls and rises', async () => {
    const before = bucket(1000, 100);
    const between = bucket(200, 20);
    const after = bucket(1000, 100);
    const limiter: Limiter = (now) =>
      now < 10_000 ? before(now) : now < 30_000 ? between(now) : after(now);
    const { sent, refused } = await simulate(limiter, { ...MANY, rows: 50_000 });
    const during = (from: number, to: number): number =>
      sent.filter((at) => at >= from && at < to).length;
    expect(during(20_000, 30_000)).toBeGreaterThan(1600);
    expect(during(20_000, 30_000)).toBeLessThan(2200);
    expect(during(60_000, 70_000)).toBeGreaterThan(7000);
    expect(refused / 50_000).toBeLessThan(0.05);
  });

  test('shares a limit with another worker', async () => {
    const limit = bucket(1000, 100);
    const run = { ...MANY, rows: 10_000, connections: 32 };
    const workers = await simulateTogether(limit, run, 2);
    expect((2 * run.rows) / workers.seconds / 1000).toBeGreaterThan(0.85);
    expect(workers.refused / (2 * run.rows)).toBeLessThan(0.05);
  });

  test('shares a limit with another worker on machines that stall', async () => {
    let refused = 0;
    const all = seeds(4);
    for (const seed of all) {
      const run = { ...MANY, rows: 10_000, connections: 32, way: unevenWay(seed, 1, 10) };
      refused += (await simulateTogether(bucket(1000, 100), run, 2)).refused;
    }
    expect(refused / (all.length * 2 * 10_000)).toBeLessThan(0.05);
  });
});

test('a limiter does not try a higher rate while the current one is unused', async () => {
  const time = new VirtualTime();
  const limiter = new RateLimiter(time);
  const allows = bucket(500, 5);
  const send = async (everyMs: number, until: number): Promise<number> => {
    let sent = 0;
    for (; time.monotonic() < until; sent += 1) {
      await limiter.acquire();
      const sentAt = time.monotonic();
      const waitMs = allows(sentAt);
      if (waitMs === 0) limiter.accepted(sentAt);
      else limiter.refused(sentAt, waitMs);
      await time.sleep(everyMs);
    }
    return sent;
  };
  const atOnce = (until: number): Promise<number[]> =>
    time.until(Promise.all(Array.from({ length: 8 }, () => send(1, until))));
  await atOnce(5000);
  await time.until(send(20, 20_000));
  const sent = await atOnce(21_000);
  expect(sent.reduce((sum, each) => sum + each, 0)).toBeLessThan(550);
});

describe('random refusals', () => {
  const FEW = { rows: 2000, connections: 4, latencyMs: 3 };
  const SEEDS = seeds(6);

  // Without any refusal FEW takes 1.5 s, and MANY 1 s.
  test.each<[number, Run, number]>([
    [0.01, FEW, 15],
    [0.01, MANY, 30],
    [0.05, FEW, 15],
    [0.14, FEW, 30],
    [0.14, { ...FEW, latencyMs: 0.3 }, 30],
    [0.14, MANY, 30],
  ])('are not taken for a limit: %s of %j', async (share, run, mostSeconds) => {
    for (const seed of SEEDS) {
      const { seconds, refused } = await simulate(random(share, seed), run);
      expect(seconds).toBeLessThan(mostSeconds);
      expect(refused / (run.rows + refused)).toBeCloseTo(share, 1);
    }
  });

  test.each<[string, Limiter, Run, number]>([
    ['a token bucket', bucket(1000, 100), MANY, 1000],
    ['a window of a second', windows(1000, 1000), MANY, 1000],
    ['few requests a second', bucket(50, 5), { rows: 2000, connections: 4, latencyMs: 20 }, 50],
  ])('do not hide a limit: %s', async (_, limiter, run, allowed) => {
    const { seconds, refused } = await simulate(random(0.14, 1, 250, limiter), run);
    expect(run.rows / seconds / allowed).toBeGreaterThan(0.6);
    expect(refused / (run.rows + refused)).toBeLessThan(0.35);
  });

  test('do not affect the rate that is learned after they end', async () => {
    const [some, limit] = [random(0.14, 1), bucket(1000, 100)];
    let refusedLate = 0;
    const { sent } = await simulate(
      (now) => {
        const waitMs = now < 10_000 ? some(now) : limit(now);
        if (now > 20_000 && waitMs > 0) refusedLate += 1;
        return waitMs;
      },
      { ...MANY, connections: 16, rows: 80_000 },
    );
    const late = sent.filter((at) => at > 20_000);
    const seconds = ((late.at(-1) as number) - 20_000) / 1000;
    expect(late.length / seconds).toBeGreaterThan(800);
    expect(refusedLate / late.length).toBeLessThan(0.03);
  });

  test('for an overloaded service do not keep the rate low', async () => {
    for (const seed of SEEDS) {
      const time = new VirtualTime();
      const limiter = new RateLimiter(time);
      const chance = chances(seed);
      let left = 20_000;
      const work = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await limiter.acquire();
          const sentAt = time.monotonic();
          await time.sleep(3);
          if (chance() < 0.01) limiter.overloaded(sentAt);
          else limiter.accepted(sentAt);
        }
      };
      await time.until(Promise.all(Array.from({ length: 64 }, work)));
      expect(time.monotonic()).toBeLessThan(60_000);
    }
  });
});

describe('a limiter with a set rate', () => {
  test('keeps that rate, however fast the responses arrive', async () => {
    const { sent } = await simulate(() => 0, { ...MANY, rows: 200, cap: 20 });
    const gaps = sent.slice(1).map((at, index) => at - (sent[index] as number));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(49);
    expect(sent.at(-1)).toBeLessThan(10_100);
  });

  test('may send less than one request a second', async () => {
    const { seconds } = await simulate(() => 0, { ...MANY, rows: 5, cap: 0.5 });
    expect(seconds).toBeGreaterThanOrEqual(8);
  });

  test('does not exceed that rate after a refusal', async () => {
    const { sent } = await simulate(bucket(1000, 5), { ...MANY, rows: 2000, cap: 100 });
    expect(2000 / ((sent.at(-1) as number) / 1000)).toBeLessThan(102);
  });
});

describe('a limiter', () => {
  const later = (time: VirtualTime, limiter: RateLimiter): Promise<number> =>
    time.until(Promise.resolve(limiter.acquire()).then(() => time.monotonic()));

  test('sends everything at once until a request is refused', async () => {
    const limiter = new RateLimiter(SLEEPLESS);
    const all = await Promise.all(Array.from({ length: 1000 }, () => limiter.acquire()));
    expect(all).not.toContain(false);
  });

  test('sends nothing before its pause ends', async () => {
    const time = new VirtualTime();
    const limiter = new RateLimiter(time);
    limiter.hold(5000);
    expect(await later(time, limiter)).toBe(5000);
    expect(await later(time, limiter)).toBe(5000);
  });

  test('halves its rate once a second at most if the service is overloaded, and recovers', async () => {
    const time = new VirtualTime();
    const limiter = new RateLimiter(time, 100);
    const rate = async (): Promise<number> => {
      const from = await later(time, limiter);
      for (let each = 0; each < 20; each += 1) {
        await later(time, limiter);
        limiter.accepted(time.monotonic());
      }
      return 20_000 / (time.monotonic() - from);
    };
    await later(time, limiter);
    limiter.overloaded(time.monotonic());
    limiter.overloaded(time.monotonic());
    expect(await rate()).toBeCloseTo(50, -1);
    for (let each = 0; each < 20; each += 1) await rate();
    expect(await rate()).toBeCloseTo(100, -1);
  });

  test.each<[string, number, (limiter: RateLimiter) => void]>([
    ['finds no connection', 700, (limiter) => limiter.unconnected(500)],
    ['meets an overloaded service', 200, (limiter) => limiter.overloaded(200)],
  ])('continues when its trial %s', async (_, resumed, end) => {
    const time = new VirtualTime();
    const limiter = new RateLimiter(time);
    await time.until(time.sleep(100));
    for (let each = 0; each < 5; each += 1) limiter.refused(time.monotonic(), 600);
    // The trial.
    expect(await later(time, limiter)).toBe(200);
    end(limiter);
    expect(await later(time, limiter)).toBe(resumed);
  });

  test('that is closed rejects pending and later waits', async () => {
    const time = new VirtualTime();
    const limiter = new RateLimiter(time, 1);
    await later(time, limiter);
    const waiting = limiter.acquire();
    limiter.close();
    expect(await waiting).toBe(false);
    expect(await limiter.acquire()).toBe(false);
  });
});

/** A wait that fails for another reason than its end: without a wait, a loop around it never ends. */
const SLEEPLESS = {
  monotonic: () => 0,
  sleep: async () => {
    throw new Error('no timers here');
  },
};

test('a limiter that cannot wait rejects every wait', async () => {
  const limiter = new RateLimiter(SLEEPLESS, 1);
  expect(await limiter.acquire()).toBe(true);
  await expect(limiter.acquire()).rejects.toThrow('no timers here');
});

test('a queue that cannot wait rejects every taker', async () => {
  async function* rows() {
    yield [{ line: 2, member: 'm-1', body: '{}', state: 'not_sent' } as const];
  }
  const queue = new RecordQueue(rows(), SLEEPLESS);
  const taken = await queue.take();
  if (taken === undefined) throw new Error('there was a record');
  queue.putBack(taken, 1000);
  await expect(queue.take()).rejects.toThrow('no timers here');
});
