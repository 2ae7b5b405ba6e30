import { describe, expect, test } from 'vitest';
import type { Call } from '../../../src/emulator/service/call.ts';
import { createState } from '../../../src/emulator/state/state.ts';
import { answerWith } from '../../../src/emulator/trouble/trouble.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { atEnd } from '../../support/scope.ts';
import { type Subject, subjectOf } from '../subject.ts';
import { withLectern } from '../../../src/fixtures/lectern.ts';
import { chosenBy, type Choices, FREEDOMS, type Vary } from '../../../src/emulator/freedom/vary.ts';

const NAMES = Object.keys(FREEDOMS) as (keyof Choices)[];
const SEEDS = Array.from({ length: 30 }, (_, seed) => seed);

describe('what the contract leaves open', () => {
  test.each(NAMES)('varies %s over 30 seeds', (name) => {
    const seen = new Set(SEEDS.map((seed) => chosenBy({ seed }).choices[name]));
    expect(seen.size).toBeGreaterThan(1);
  });

  test('has its first values without a seed', () => {
    const firsts = NAMES.map((name) => [name, FREEDOMS[name].values[0][0]]);
    expect(chosenBy(undefined).choices).toEqual(Object.fromEntries(firsts));
  });
});

/** A seed that chooses a value of one freedom, and varies no other. */
function seedOf(name: keyof Choices, value: string): Vary {
  const seed = SEEDS.find((each) => chosenBy({ seed: each }).choices[name] === value) ?? -1;
  return { seed, only: [name] };
}

async function emulatedWith(name: keyof Choices, value: string): Promise<Subject> {
  const served = await serveSeeded({ vary: seedOf(name, value) });
  atEnd(served.close);
  return subjectOf(served);
}

/** The status of a call under the first value, and under another one. */
interface Changed {
  readonly name: keyof Choices;
  readonly value: string;
  readonly call: (subject: Subject) => Promise<{ readonly status: number }>;
  readonly usual: number;
  readonly other: number;
}

const row =
  (body: string, headers?: Record<string, string>): Changed['call'] =>
  async ({ launch }) => {
    const student = await launch();
    return student.call('PUT', student.row('member'), { body, ...(headers && { headers }) });
  };
const graded =
  (body: object): Changed['call'] =>
  async ({ launch }) =>
    (await launch()).grade(body);
const declared =
  (json: object, count = 1): Changed['call'] =>
  async ({ launch }) => {
    const student = await launch();
    const declare = (at: number) => student.call('PUT', student.file('member', `f${at}`), { json });
    for (let at = 1; at < count; at += 1) await declare(at);
    return declare(0);
  };

const CHANGED: readonly Changed[] = [
  {
    name: 'kilobytes',
    value: '1000',
    call: row(`{"a":"${'x'.repeat(511_993)}"}`),
    usual: 204,
    other: 422,
  },
  {
    name: 'untyped',
    value: 'refused',
    call: row('{}', { 'content-type': '' }),
    usual: 204,
    other: 422,
  },
  { name: 'duplicates', value: 'refused', call: row('{"a":1,"a":2}'), usual: 204, other: 422 },
  {
    name: 'empty_patch',
    value: 'refused',
    call: async ({ launch }) => {
      const student = await launch();
      return student.patch(student.row('member'), []);
    },
    usual: 204,
    other: 422,
  },
  { name: 'empty_files', value: 'refused', call: declared({ size: 0 }), usual: 200, other: 422 },
  {
    name: 'nulls',
    value: 'refused',
    call: graded({ score: 1, comment: null }),
    usual: 200,
    other: 422,
  },
  {
    name: 'unknown_fields',
    value: 'refused',
    call: graded({ score: 1, note: '' }),
    usual: 200,
    other: 422,
  },
  { name: 'quota', value: 'declared', call: declared({ size: 1 }, 101), usual: 200, other: 422 },
  {
    name: 'refusals',
    value: 'body',
    call: async ({ launch }) => {
      const student = await launch();
      return student.put(student.row('context'), []);
    },
    usual: 403,
    other: 422,
  },
  {
    name: 'finishers',
    value: 'staff',
    call: async ({ launch }) => {
      const student = await launch();
      return student.call('PUT', student.claims.provision.context);
    },
    usual: 204,
    other: 403,
  },
  {
    name: 'unknown_member',
    value: '422',
    call: async ({ launch }) => {
      const staff = await launch({ role: 'instructor' });
      return staff.grade({ score: 1 }, staff.submit.replace(staff.claims.user.member, 'nobody'));
    },
    usual: 404,
    other: 422,
  },
];

test.each(CHANGED)('$name $value changes a status', async ({ name, value, call, usual, other }) => {
  const first = FREEDOMS[name].values[0][0];
  expect((await call(await emulatedWith(name, first))).status).toBe(usual);
  expect((await call(await emulatedWith(name, value))).status).toBe(other);
});

test('the last of several faults is the one that a body is refused for', async () => {
  const wrong = { score: 2, max_score: 0 };
  const messageBy = async (value: string) => {
    const { launch } = await emulatedWith('several', value);
    return (await (await launch()).grade(wrong)).message;
  };
  expect(await messageBy('first')).toBe('score must be between 0 and 1');
  expect(await messageBy('last')).toBe('max_score must be greater than 0');
});

test('what chaos refuses has the envelope of the seed', async () => {
  const request = { method: 'GET', target: '/', headers: {}, origin: 'api' } as const;
  const call = { request: { ...request, body: new Uint8Array() } } as Call;
  const state = createState({ vary: seedOf('envelope', 'flat') });
  const { reply } = await answerWith({ kind: 'suspended' }, state, call, () =>
    expect.unreachable(),
  );
  expect(JSON.parse(String(reply.body))).toEqual({ status: 401, message: 'App is suspended' });
});

test('the fixtures of tests take a seed', async () => {
  await withLectern({ report: 'off', seed: undefined, vary: 7 }, async ({ launch }) => {
    const { storage } = await launch();
    // Of the seed 7, whose addresses are plain.
    expect(chosenBy({ seed: 7 }).choices.urls).toBe('plain');
    expect(storage).toMatchObject({
      location: expect.stringMatching(/\/v1\/placements\/[^/]+\/row$/),
    });
  });
});
