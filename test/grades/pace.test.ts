import { describe, expect, test } from 'vitest';
import { Pace } from '../../src/grades/sender/pace.ts';
import type { SharedPace } from '../../src/ledger/index.ts';
import { bucket, type Course, type Limit, random, sendAt, windows } from './limits.ts';
import type { VirtualTime } from './virtual-time.ts';

const MANY = { rows: 10_000, connections: 64, latencyMs: 10 };
const FEW = { rows: 1000, connections: 4, latencyMs: 20 };

interface Case {
  readonly name: string;
  readonly limit?: () => Limit;
  readonly course?: Partial<Course>;
  /** Requests a second. */
  readonly allowed?: number;
  readonly workers?: number;
  /** The share of what is allowed that is used at least, and of all requests that is refused at most. */
  readonly used?: number;
  readonly refused?: number;
}

describe('a run at a service with a limit', () => {
  test.each<Case>([
    { name: 'a thousand a second' },
    {
      name: 'over many connections with late answers',
      course: { connections: 256, latencyMs: 50 },
    },
    { name: 'with little saved', limit: () => bucket(1000, 5), used: 0.7 },
    { name: 'on a machine that stalls', course: { connections: 4, latencyMs: 2, stallMs: 30 } },
    { name: 'for two workers', course: { connections: 32 }, workers: 2 },
    {
      name: 'a thousand in each second',
      limit: () => windows(1000, 1000),
      used: 0.6,
      refused: 0.1,
    },
    { name: 'fifty a second', limit: () => bucket(50, 5), course: FEW, allowed: 50, refused: 0.15 },
    {
      name: 'two a second',
      limit: () => bucket(2, 2),
      course: { ...FEW, rows: 100 },
      allowed: 2,
      refused: 0.6,
    },
    {
      name: 'a hundred a minute',
      limit: () => windows(100, 60_000),
      course: { rows: 600 },
      allowed: 100 / 60,
      refused: 0.5,
    },
  ])('uses most of it, and is refused rarely: $name', async (each) => {
    const { limit = () => bucket(1000, 100), allowed = 1000, workers = 1 } = each;
    const { used = 0.8, refused = 0.08 } = each;
    const course = { ...MANY, ...each.course };
    const seen = await sendAt(limit(), course, workers);
    const rows = course.rows * workers;
    expect(rows / seen.seconds / allowed).toBeGreaterThan(used);
    expect(seen.refused / (rows + seen.refused)).toBeLessThan(refused);
    expect(seen.early).toBe(0);
  });

  test.each([{ share: 0.05, course: { ...FEW, rows: 5000 }, seconds: 25 }])(
    'is not slowed by refusals at random: $share',
    async ({ share, course, seconds }) => {
      const seen = await sendAt(random(share, 1), course);
      expect(seen.seconds).toBeLessThan(seconds / 0.7);
    },
  );

  test('finds a limit beside refusals at random', async () => {
    const seen = await sendAt(random(0.05, 1, bucket(1000, 100)), MANY);
    expect(seen.seconds).toBeLessThan(10 / 0.7);
  });

  test('follows a limit that falls and rises', async () => {
    const [before, between, after] = [bucket(1000, 100), bucket(200, 20), bucket(1000, 100)];
    const limit: Limit = (now) =>
      now < 10_000 ? before(now) : now < 20_000 ? between(now) : after(now);
    const { times } = await sendAt(limit, { ...MANY, rows: 50_000 });
    const during = (from: number): number =>
      times.filter((at) => at >= from && at < from + 5000).length;
    expect(during(15_000)).toBeGreaterThan(800);
    expect(during(15_000)).toBeLessThan(1200);
    expect(during(60_000)).toBeGreaterThan(4500);
  });

  test('waits while nothing is accepted', async () => {
    const limit: Limit = (now) => (now < 20_000 ? 20_000 - now : 0);
    const { seconds, refused } = await sendAt(limit, { rows: 200, connections: 4, latencyMs: 30 });
    expect(seconds).toBeLessThan(25);
    expect(refused).toBeLessThan(20);
  });
});

describe('a rate that was set', () => {
  const ALL: Limit = () => 0;

  test.each([
    { rate: 20, rows: 200, seconds: 10 },
    { rate: 0.5, rows: 5, seconds: 8 },
    { rate: 1000, rows: 10_000, seconds: 10 },
  ])('is kept, and used: $rate a second', async ({ rate, rows, seconds }) => {
    const seen = await sendAt(ALL, { ...MANY, rows, rate });
    expect(seen.seconds).toBeGreaterThan(seconds * 0.99);
    expect(seen.seconds).toBeLessThan(seconds * 1.03 + 0.1);
  });

  test('is not exceeded after a refusal', async () => {
    const { times } = await sendAt(bucket(1000, 5), { ...MANY, rows: 2000, rate: 100 });
    expect(times.length / ((times.at(-1) as number) / 1000)).toBeLessThan(102);
  });
});

describe('several workers', () => {
  const noPace: SharedPace = {
    rate: undefined,
    share: undefined,
    hold: async () => {},
    wait: async () => {},
    reportLimit: () => {},
    onHold: () => {},
  };

  test('each keep to their part of the rate, which changes', async () => {
    const pace = (time: VirtualTime): SharedPace => ({
      ...noPace,
      get rate() {
        return time.monotonic() < 5000 ? 50 : 100;
      },
    });
    const { times } = await sendAt(() => 0, { ...MANY, rows: 1250, pace }, 2);
    expect(times.filter((at) => at < 5000).length / 5).toBeCloseTo(100, -1);
    expect((times.at(-1) as number) / 1000).toBeCloseTo(15, 0);
  });

  test('all wait for long if one of them is asked to', async () => {
    const acts: ((ms: number) => void)[] = [];
    const pace = (): SharedPace => ({
      ...noPace,
      hold: async (ms) => acts.forEach((act) => act(ms)),
      onHold: (act) => acts.push(act),
    });
    let asked = 0;
    const limit: Limit = () => (asked++ === 200 ? 30_000 : 0);
    const { times } = await sendAt(limit, { ...MANY, rows: 400, connections: 4, pace }, 2);
    const pause = times.map((at, index) => at - (times[index - 1] ?? 0));
    expect(Math.max(...pause)).toBeGreaterThan(29_900);
  });

  test('start with what others have learnt', () => {
    const pace = new Pace(() => 0, undefined, 20);
    expect(pace.learnt).toBe(20);
    expect(new Pace(() => 0).learnt).toBeUndefined();
  });
});
