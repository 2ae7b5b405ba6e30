import { expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/emulator/index.ts';
import type { Answers } from '../../../src/emulator/index.ts';
import type { Claims } from '../documents.ts';
import { seededBytes } from '../../support/seeded.ts';

const CONTROL = 'control';

function started(seed: string, share: number): Emulator {
  return createEmulator({
    random: seededBytes(),
    chaos: { seed, share },
    controlToken: CONTROL,
    // What comes late comes at once.
    sleep: async () => {},
  });
}

async function reportOf({ fetch }: Emulator): Promise<Answers['GET report']> {
  const headers = { authorization: `Bearer ${CONTROL}` };
  const response = await fetch(new Request('http://service.test/_emulator/report', { headers }));
  return (await response.json()) as Answers['GET report'];
}

/** A tool that reads, replaces and grades, and never looks at what comes back. */
async function careless(emulator: Emulator, rounds: number): Promise<void> {
  const { storage, grade } = emulator.launch({}) as unknown as Claims;
  for (let round = 0; round < rounds; round++) {
    // A new launch each time: an ended one ends no other.
    const { api } = emulator.launch({}) as unknown as Claims;
    const headers = { authorization: `Bearer ${api.token}` };
    const call = (url: string, method: string, body?: object) =>
      emulator
        .fetch(new Request(url, { method, headers, ...(body && { body: JSON.stringify(body) }) }))
        .then((response) => response.arrayBuffer())
        .catch(() => undefined);
    await call(storage.member, 'GET');
    await call(storage.member, 'PUT', { round });
    await call(grade.submit, 'POST', { score: round / rounds });
    await call(grade.submit, 'POST', { score: round / rounds });
  }
}

test('chaos with the same seed is the same on every platform', async () => {
  const troubles = async (seed: string) => {
    const emulator = started(seed, 0.3);
    await careless(emulator, 12);
    return (await reportOf(emulator)).chaos?.troubles;
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
  const emulator = started('moon', 0.4);
  await careless(emulator, 40);
  const { chaos, findings, coverage } = await reportOf(emulator);
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
  const emulator = createEmulator({ random: seededBytes(), controlToken: CONTROL });
  await careless(emulator, 3);
  expect((await reportOf(emulator)).chaos).toBe(null);
});
