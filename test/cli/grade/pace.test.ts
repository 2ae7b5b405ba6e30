import { describe, expect, test } from 'vitest';
import { Pace } from '../../../src/cli/grade/bulk/pace.ts';
import { RowQueue } from '../../../src/cli/grade/bulk/row-queue.ts';
import { VirtualTime } from './virtual-time.ts';

/** Says of a request at a moment (ms) whether it is let through, else how long to wait in ms. */
type Limiter = (now: number) => number;

/** So many a second; unused ones are saved up to `burst`. Answers whole seconds, as services do. */
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

/** So many in each span; the wait is until the next one. */
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

interface Run {
  readonly rows: number;
  readonly connections: number;
  readonly latencyMs: number;
  readonly cap?: number;
}

/** Sends rows through a limiter as the sender does, on a clock of its own. */
async function simulate(limiter: Limiter, { rows, connections, latencyMs, cap }: Run) {
  const time = new VirtualTime();
  const pace = new Pace(time, cap);
  const all = Array.from({ length: rows }, (_, line) => ({
    line,
    member: '',
    body: '',
    state: 'not-sent' as const,
  }));
  const queue = new RowQueue(
    (async function* () {
      yield* all;
    })(),
    time,
  );
  const sent: number[] = [];
  let refused = 0;
  let early = 0;
  const notBefore = new Map<number, number>();
  const work = async (): Promise<void> => {
    for (let taken = await queue.take(); taken; taken = await queue.take()) {
      await pace.turn();
      const sentAt = time.now();
      sent.push(sentAt);
      if (sentAt < (notBefore.get(taken.row.line) ?? 0)) early += 1;
      const waitMs = limiter(sentAt);
      await time.sleep(latencyMs);
      if (waitMs === 0) {
        pace.accepted();
        queue.done();
      } else {
        refused += 1;
        notBefore.set(taken.row.line, time.now() + waitMs);
        pace.refused(sentAt, waitMs);
        queue.putBack(taken, time.now() + waitMs);
      }
    }
  };
  await time.until(Promise.all(Array.from({ length: connections }, work)));
  return { seconds: time.now() / 1000, refused, early, sent };
}

/** Rows, connections, latency in ms, and what is allowed a second. */
const MANY = { rows: 20_000, connections: 64, latencyMs: 3 };

describe('a pace that learns', () => {
  test.each<[string, Limiter, Run, number]>([
    ['a bucket', bucket(1000, 100), MANY, 1000],
    ['a bucket, few connections', bucket(1000, 100), { ...MANY, connections: 4 }, 1000],
    ['a bucket, far away', bucket(1000, 100), { ...MANY, connections: 256, latencyMs: 50 }, 1000],
    ['a small bucket', bucket(1000, 5), MANY, 1000],
    ['a large bucket', bucket(1000, 1000), MANY, 1000],
    ['a count by the second', windows(1000, 1000), MANY, 1000],
    ['a count by the tenth of a second', windows(100, 100), MANY, 1000],
    ['few a second', bucket(50, 5), { rows: 2000, connections: 4, latencyMs: 20 }, 50],
    // The first hundred are free.
    ['a count by the minute', windows(100, 60_000), { ...MANY, rows: 600 }, 100 / 60],
  ])('uses what a service allows: %s', async (name, limiter, run, allowed) => {
    const { seconds, refused, early } = await simulate(limiter, run);
    expect(run.rows / seconds / allowed).toBeGreaterThan(0.8);
    // Where a hundred a minute are allowed, asking now and then whether there are more counts for much.
    expect(refused / run.rows).toBeLessThan(name.includes('minute') ? 0.4 : 0.02);
    expect(early).toBe(0);
  });

  test.each([1, 4, 16])(
    'starts at once when the first is refused, over %i',
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

  test('uses a window that was used up at first', async () => {
    const window = windows(100, 20_000);
    for (let each = 0; each < 100; each += 1) window(0);
    const { seconds } = await simulate(window, { rows: 300, connections: 4, latencyMs: 10 });
    expect(seconds).toBeLessThan(70);
  });

  test('finds a new limit, lower or higher', async () => {
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
    expect(refused / 50_000).toBeLessThan(0.02);
  });
});

describe('a pace that is set', () => {
  test('is kept, however fast the answers come', async () => {
    const { sent } = await simulate(() => 0, { ...MANY, rows: 200, cap: 20 });
    const gaps = sent.slice(1).map((at, index) => at - (sent[index] as number));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(49);
    expect(sent.at(-1)).toBeLessThan(10_100);
  });

  test('may be slower than one a second', async () => {
    const { seconds } = await simulate(() => 0, { ...MANY, rows: 5, cap: 0.5 });
    expect(seconds).toBeGreaterThanOrEqual(8);
  });

  test('is not exceeded by what was learnt', async () => {
    const { sent } = await simulate(bucket(1000, 5), { ...MANY, rows: 2000, cap: 100 });
    expect(2000 / ((sent.at(-1) as number) / 1000)).toBeLessThan(102);
  });
});

describe('a pace', () => {
  const later = (time: VirtualTime, pace: Pace): Promise<number> =>
    time.until(Promise.resolve(pace.turn()).then(() => time.now()));

  test('lets everything out at once until something is refused', () => {
    const pace = new Pace(new VirtualTime());
    expect(Array.from({ length: 1000 }, () => pace.turn()).every((each) => each === true)).toBe(
      true,
    );
  });

  test('that is held lets nothing out before', async () => {
    const time = new VirtualTime();
    const pace = new Pace(time);
    pace.hold(5000);
    expect(await later(time, pace)).toBe(5000);
    expect(await later(time, pace)).toBe(5000);
  });

  test('goes down when the service is overloaded, once a second at most, and up again', async () => {
    const time = new VirtualTime();
    const pace = new Pace(time, 100);
    const rate = async (): Promise<number> => {
      const from = await later(time, pace);
      for (let each = 0; each < 20; each += 1) {
        await later(time, pace);
        pace.accepted();
      }
      return 20_000 / (time.now() - from);
    };
    await later(time, pace);
    pace.overloaded();
    pace.overloaded();
    expect(await rate()).toBeCloseTo(50, -1);
    for (let each = 0; each < 20; each += 1) await rate();
    expect(await rate()).toBeCloseTo(100, -1);
  });

  test.each<[string, number, (pace: Pace) => void]>([
    ['finds no connection', 700, (pace) => pace.unconnected(500)],
    ['meets an overloaded service', 200, (pace) => pace.overloaded()],
  ])('goes on when its trial %s', async (_, resumed, end) => {
    const time = new VirtualTime();
    const pace = new Pace(time);
    await time.until(time.sleep(100));
    for (let each = 0; each < 5; each += 1) pace.refused(time.now(), 600);
    // The trial.
    expect(await later(time, pace)).toBe(200);
    end(pace);
    expect(await later(time, pace)).toBe(resumed);
  });

  test('that is closed tells who waits, and who comes later', async () => {
    const time = new VirtualTime();
    const pace = new Pace(time, 1);
    await later(time, pace);
    const waiting = pace.turn();
    pace.close();
    expect(await waiting).toBe(false);
    expect(await pace.turn()).toBe(false);
  });
});
