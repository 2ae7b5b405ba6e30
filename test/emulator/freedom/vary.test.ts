import { describe, expect, test } from 'vitest';
import type { Call } from '../../../src/emulator/service/call.ts';
import { createState } from '../../../src/emulator/state/state.ts';
import { answerWith } from '../../../src/emulator/trouble/trouble.ts';
import { emulated, type Launch, seedOf, SEEDS, START, type Subject } from '../subject.ts';
import { fromNative, type JsonObject, toNative } from '../../../src/json/index.ts';
import { checkShape } from '../../../src/schema/check.ts';
import { withLectern } from '../../../src/fixtures/lectern.ts';
import { validateLaunch } from '../../../src/validator/index.ts';
import { chosenBy, type Choices, FREEDOMS } from '../../../src/emulator/freedom/vary.ts';

const NAMES = Object.keys(FREEDOMS) as (keyof Choices)[];

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

test.each(SEEDS.slice(0, 20))('launches of the seed %i have no warning', async (vary) => {
  const { launch, provisionRequest } = await emulated({ vary: { seed: vary } });
  const made = [launch({ role: 'student' }), launch({ role: 'instructor' }), provisionRequest()];
  const wrong = (await Promise.all(made)).flatMap(({ claims }) =>
    validateLaunch(JSON.stringify(claims), { now: START }).filter(
      ({ severity }) => severity !== 'note',
    ),
  );
  expect(wrong).toEqual([]);
});

test('no address or field has what common clients write in another way', () => {
  const { urls, signed, form } = FREEDOMS;
  const fields = form.values.map(([, { others }]) => others('text/plain'));
  const texts = JSON.stringify([urls.values, signed.values, fields]);
  // RFC 3986, 6.2.2.2: an escape of a letter, a digit, or one of -._~
  expect(texts).not.toMatch(/%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/i);
  // FormData sends every line break as CRLF.
  expect(texts).not.toMatch(/\\[nr]/);
});

const emulatedWith = (name: keyof Choices, value: string): Promise<Subject> =>
  emulated({ vary: seedOf(name, value) });

type Asked = (subject: Subject) => Promise<{ readonly status: number }>;

const as =
  (call: (launch: Launch) => Promise<{ readonly status: number }>, role = 'student'): Asked =>
  async ({ launch }) =>
    call(await launch({ role }));
const row = (body: string, headers: Record<string, string> = {}): Asked =>
  as((l) => l.call('PUT', l.row('member'), { body, headers }));
const declared = (size: number, count = 1): Asked =>
  as(async (l) => {
    const declare = (at: number) => l.call('PUT', l.file('member', `f${at}`), { json: { size } });
    for (let at = 1; at < count; at += 1) await declare(at);
    return declare(0);
  });

/** The status of a call under the first value of a freedom, and under another one. */
const CHANGED: readonly [
  name: keyof Choices,
  value: string,
  call: Asked,
  usual: number,
  other: number,
][] = [
  ['kilobytes', '1000', row(`{"a":"${'x'.repeat(511_993)}"}`), 204, 422],
  ['untyped', 'refused', row('{}', { 'content-type': '' }), 204, 422],
  ['duplicates', 'refused', row('{"a":1,"a":2}'), 204, 422],
  ['empty_patch', 'refused', as((l) => l.patch(l.row('member'), [])), 204, 422],
  ['empty_files', 'refused', declared(0), 200, 422],
  ['nulls', 'refused', as((l) => l.grade({ score: 1, comment: null })), 200, 422],
  ['unknown_fields', 'refused', as((l) => l.grade({ score: 1, note: '' })), 200, 422],
  ['quota', 'declared', declared(1, 101), 200, 422],
  ['refusals', 'body', as((l) => l.put(l.row('context'), [])), 403, 422],
  ['finishers', 'staff', as((l) => l.call('PUT', l.claims.provision.context)), 204, 403],
  [
    'unknown_member',
    '422',
    as((l) => l.grade({ score: 1 }, l.submit.replace(l.claims.user.member, 'no')), 'instructor'),
    404,
    422,
  ],
];

test.each(CHANGED)('%s %s changes a status', async (name, value, call, usual, other) => {
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

describe('every value keeps what the contract says', () => {
  const error = { status: 422, code: 'row.too_large', message: 'too large' } as const;
  const value = { b: [1, { d: 'é/ü', c: null }], a: '' };
  const read = (json: string): unknown => JSON.parse(json);

  test.each(FREEDOMS.envelope.values)('envelope: %s has its published shape', (_, kind) => {
    expect(checkShape(kind.schema, kind.body(error))).toEqual([]);
  });

  test.each(FREEDOMS.order.values)('order: %s has the same values', (_, order) => {
    expect(order(value)).toEqual(value);
  });

  test.each([...FREEDOMS.space.values, ...FREEDOMS.escapes.values.map(written)])(
    'JSON: %s is read as the same value',
    (_, write) => {
      expect(read(write(value))).toEqual(value);
    },
  );

  test.each(FREEDOMS.times.values)('times: %s is the same instant', (_, time) => {
    for (const at of [0, 1_790_000_000_120]) expect(Date.parse(time(at))).toBe(at);
  });

  test.each(FREEDOMS.patched.values)('patched: %s is the same row', (_, write) => {
    const json = fromNative({ b: 1, a: { c: [] } }) as JsonObject;
    expect(read(write(json))).toEqual(toNative(json));
  });

  type Written = readonly [name: string, write: (value: unknown) => string];
  function written([name, escape]: (typeof FREEDOMS.escapes.values)[number]): Written {
    return [name, (each) => escape(JSON.stringify(each))];
  }
});
