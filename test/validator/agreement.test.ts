/**
 * The validator's verdict is the emulator's: an error is a refusal with the same code, and what has
 * no finding is accepted. A warning leaves both open.
 */
import * as fc from '../support/property.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeLaunch } from '../../src/validator/index.ts';
import {
  agreeOnFile,
  agreeOnGrade,
  agreeOnPatch,
  agreeOnRow,
  emulator,
  make,
  seen,
} from './judge.ts';
import { anyText, jsonText, objectOf, RUNS, withSlip } from './properties.ts';

beforeAll(() => Object.assign(seen, { accepted: 0, refused: 0 }));
afterAll(() => expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(RUNS.numRuns));

const check = (
  texts: fc.Arbitrary<string>,
  agree: (text: string) => Promise<void>,
): Promise<void> => fc.assert(fc.asyncProperty(texts, agree), RUNS);

/** An object with some members of a payload, each right or anything. */
const payload = (members: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...Object.entries(members).map(([name, value]) =>
        fc.oneof(
          { arbitrary: value.map((text): [string, string][] => [[name, text]]), weight: 6 },
          { arbitrary: jsonText.map((text): [string, string][] => [[name, text]]), weight: 1 },
          { arbitrary: fc.constant([]), weight: 1 },
        ),
      ),
    )
    .map((parts) => objectOf(parts.flat()));

const json = (...values: unknown[]): fc.Arbitrary<string> =>
  fc.constantFrom(...values.map((value) => JSON.stringify(value)));

const nearly = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ arbitrary: texts, weight: 4 }, { arbitrary: withSlip(texts), weight: 2 }, anyText);

describe('validator and emulator agree on launches', () => {
  test.each<[string, string, object]>([
    ['staff', 'launch', { role: 'manager' }],
    ['a student', 'launch', { role: 'student' }],
    ['an account address', 'launch', { role: 'student', account: true }],
    ['a location that is not an assessment', 'launch', { location: 'essay-guide' }],
    ['a provision request', 'provision-request', {}],
    ['a copied course', 'provision-request', { course: 'biology-102' }],
  ])('%s has no error', async (_, operation, request) => {
    const made = await make(operation, request);
    const now = emulator.state.clock.now();
    const decoded = decodeLaunch(JSON.stringify(made), { now });
    if ('fault' in decoded) throw new Error(decoded.fault);
    // On purpose plain http: the emulator of this file has no port.
    const errors = decoded.findings.filter(
      ({ severity, code }) => severity === 'error' && code !== 'launch.url_not_https',
    );
    expect(errors).toEqual([]);
    expect(decoded.contract).toBe('2026-10-13');
    expect(decoded.kind).toBe(operation.replace('-', '_'));
  });
});

describe('validator and emulator agree on rows', () => {
  const rows = nearly(payload({ a: jsonText, b: jsonText, ['__proto__']: jsonText }));

  test.each(['member', 'context'] as const)('random %s rows', async (kind) => {
    await check(rows, async (text) => void (await agreeOnRow(text, kind)));
  });
});

describe('validator and emulator agree on patches', () => {
  const pointer = fc.oneof(
    json(
      '',
      '/a',
      '/a/b',
      '/list/0',
      '/list/-',
      '/list/01',
      '/list/9',
      '/new/deep/er',
      '/__proto__/x',
    ),
    json('a', '/~', '/~2', '#/a', '/constructor/prototype', '/text/x'),
  );
  const operation = payload({
    op: json('add', 'replace', 'remove', 'move', 'copy', 'test', 'Add', 'put'),
    path: pointer,
    value: jsonText,
  });
  const patches = nearly(
    fc.array(operation, { maxLength: 3 }).map((each) => `{"patch":[${each.join(',')}]}`),
  );
  const row = '{"a":{"b":1},"list":[1,{"c":2}],"text":"x","n":null,"big":1e400}';

  test('random patches', () =>
    check(patches, async (text) => void (await agreeOnPatch(text, row))));
});

describe('validator and emulator agree on declarations', () => {
  const declarations = nearly(
    payload({
      size: json(0, 1, 26_214_400, 26_214_401, -1, 1.5, '1', null),
      mimetype: json('', 'text/plain', 7),
      filename: json('', 'a.txt', false),
      attachment: json(true, false, 'no'),
    }),
  );
  const keys = fc.oneof(
    fc.constantFrom('a', 'a.b-c_d', 'x'.repeat(128), 'x'.repeat(129), '.a', '-', 'ä', 'a b', '%41'),
    fc.string({ minLength: 1, maxLength: 6 }),
  );

  test('random declarations', async () => {
    await fc.assert(
      fc.asyncProperty(
        declarations,
        keys,
        async (text, key) => void (await agreeOnFile(text, key)),
      ),
      RUNS,
    );
  });

  test('random keys', async () => {
    const any = fc.oneof(keys, fc.stringMatching(/^[A-Za-z0-9._-]{1,130}$/));
    await check(any, async (key) => void (await agreeOnFile('{"size":1}', key)));
  });
});

describe('validator and emulator agree on grades', () => {
  const grades = nearly(
    payload({
      score: json(0, 1, 0.5, 1.0001, -0.1, '1', null, true),
      max_score: json(50, 0.1, 0, -1, '50', null),
      comment: json('', 'x', 7),
      activity_progress: json('Completed', 'Submitted', 'completed', ''),
      grading_progress: json('FullyGraded', 'Pending', 'Done', null),
      launch_id: json('x'),
    }),
  );

  test('random grades', async () => {
    await check(grades, async (text) => void (await agreeOnGrade(text)));
  });
});
