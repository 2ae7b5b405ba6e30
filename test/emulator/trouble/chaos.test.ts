import { expect, test } from 'vitest';
import { emulated, type Emulated } from '../subject.ts';

/** What comes late comes at once. */
const started = (seed: string, share: number): Promise<Emulated> =>
  emulated({ chaos: { seed, share }, sleep: async () => {} });

/** A tool that reads, replaces and grades, and never looks at what comes back. */
async function careless({ launch }: Emulated, rounds: number): Promise<void> {
  const first = await launch();
  for (let round = 0; round < rounds; round++) {
    // A new launch each time: an ended one ends no other.
    const { get, put, grade } = await launch();
    const calls = [
      () => get(first.row('member')),
      () => put(first.row('member'), { round }),
      () => grade({ score: round / rounds }, first.submit),
      () => grade({ score: round / rounds }, first.submit),
    ];
    for (const call of calls) await call().catch(() => undefined);
  }
}

test('chaos with the same seed is the same on every platform', async () => {
  const troubles = async (seed: string) => {
    const emulator = await started(seed, 0.3);
    await careless(emulator, 12);
    return (await emulator.control('report')).chaos?.troubles;
  };
  const [first, again, other] = await Promise.all(['moon', 'moon', 'sun'].map(troubles));
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(first?.map(({ trouble, requests }) => `${trouble} ${requests.join()}`)).toEqual([
    'unavailable 4,10,12,16',
    'late 21,24,25',
    'ended 26,37',
    'refused 27,32',
    'cut 29,30,39,42,43',
  ]);
});

test('the report lists lost and duplicate writes', async () => {
  const emulator = await started('moon', 0.4);
  await careless(emulator, 40);
  const { chaos, findings, coverage } = await emulator.control('report');
  expect(chaos?.doubled.length).toBeGreaterThan(0);
  expect(chaos?.lost.map(({ message }) => message)).toContainEqual(
    expect.stringContaining('written_by_another_session'),
  );
  expect(findings.map(({ code }) => code)).toContain('request.keys_dropped');
  const met = coverage.filter(({ seen }) => seen).map(({ id }) => id);
  expect(met).toEqual(
    expect.arrayContaining(['response.lost', 'response.unavailable', 'attempt.refused']),
  );
});

test('nothing is lost without chaos, and the report does not mention chaos', async () => {
  const emulator = await emulated();
  await careless(emulator, 3);
  expect((await emulator.control('report')).chaos).toBe(null);
});
