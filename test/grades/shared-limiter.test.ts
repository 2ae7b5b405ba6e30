import { expect, test } from 'vitest';
import { SharedLimiter } from '../../src/grades/shared-limiter.ts';
import type { SharedPace } from '../../src/ledger/ledger.ts';
import { VirtualTime } from './virtual-time.ts';

/** What a database's row gives to several workers: the next slot, and the listeners of a pause. */
function shared(time: VirtualTime, rate: number | undefined, share?: number) {
  let next = 0;
  const listeners: ((ms: number) => void)[] = [];
  const waits: number[] = [];
  const pace = (): SharedPace => ({
    rate,
    share,
    slots: async (count) => {
      const first = Math.max(next, time.monotonic());
      next = first + (count * 1000) / (rate ?? Infinity);
      return first - time.monotonic();
    },
    hold: async (ms) => listeners.forEach((act) => act(ms)),
    wait: async (ms) => void waits.push(ms),
    reportLimit: () => {},
    onHold: (act) => listeners.push(act),
  });
  return { pace, waits };
}

/** Sends with this many requests at once; returns when each was sent. */
async function send(limiter: SharedLimiter, time: VirtualTime, count: number): Promise<number[]> {
  const times: number[] = [];
  const work = async (): Promise<void> => {
    while (times.length < count && (await limiter.acquire())) times.push(time.monotonic());
  };
  await Promise.all([work(), work(), work(), work()]);
  return times;
}

test('workers together keep to the rate and use all of it', async () => {
  const time = new VirtualTime();
  const { pace } = shared(time, 100);
  const limiters = [1, 2, 3].map(() => new SharedLimiter(time, undefined, pace()));
  const sent = await time.until(Promise.all(limiters.map((each) => send(each, time, 200))));
  const times = sent.flat().toSorted((a, b) => a - b);
  for (const [index, at] of times.entries()) {
    const second = times.filter((each) => each >= at && each < at + 1000);
    expect(second.length).toBeLessThanOrEqual(101);
    if (index === times.length - 1) expect(at).toBeLessThan((times.length / 100) * 1000 * 1.05);
  }
});

test('one worker may have a lower rate than all together', async () => {
  const time = new VirtualTime();
  const limiter = new SharedLimiter(time, 10, shared(time, 100).pace());
  const times = await time.until(send(limiter, time, 30));
  expect(times.at(-1)).toBeGreaterThanOrEqual(2500);
});

test('a long pause that the service requests from one worker pauses all, a short one only that worker', async () => {
  const time = new VirtualTime();
  const { pace } = shared(time, undefined);
  const [one, other] = [1, 2].map(() => new SharedLimiter(time, undefined, pace())) as [
    SharedLimiter,
    SharedLimiter,
  ];
  one.pauseAsked(1000);
  expect(await time.until(Promise.resolve(other.acquire()))).toBe(true);
  expect(time.monotonic()).toBe(0);
  one.pauseAsked(30_000);
  expect(await time.until(Promise.resolve(other.acquire()))).toBe(true);
  expect(time.monotonic()).toBe(30_000);
});

test('a worker that joins starts with its share of the learned rate', async () => {
  const time = new VirtualTime();
  const limiter = new SharedLimiter(time, undefined, shared(time, undefined, 20).pace());
  const times = await time.until(send(limiter, time, 10));
  expect(limiter.learnt).toBe(20);
  expect(times.at(-1)).toBeGreaterThan(400);
});

test('a failed request for a slot is an error, and a closed limiter gets no slot', async () => {
  const time = new VirtualTime();
  const { pace } = shared(time, 10);
  const broken = { ...pace(), slots: () => Promise.reject(new Error('no server')) };
  await expect(new SharedLimiter(time, undefined, broken).acquire()).rejects.toThrow('no server');
  const late = new SharedLimiter(time, undefined, { ...pace(), slots: async () => 5000 });
  const waiting = late.acquire();
  late.close();
  expect(await waiting).toBe(false);
  expect(await late.acquire()).toBe(false);
});
