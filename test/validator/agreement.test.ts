/**
 * The validator's verdict is the emulator's, of random bodies: an error is a refusal with the same code,
 * and what has no finding is accepted. A warning leaves both open. What the emulator accepts must also
 * be what its OpenAPI document describes, as in all tests.
 */
import * as fc from '../support/property.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/index.ts';
import {
  type Finding,
  validateDeclaration,
  validateGrade,
  validatePatch,
  validateRow,
} from '../../src/validator/index.ts';
import type { Claims } from '../emulator/documents.ts';
import { seededBytes } from '../support/seeded.ts';
import { anyText, jsonText, objectOf, RUNS, withSlip } from './properties.ts';

const emulator = createEmulator({ random: seededBytes() });
const { api, storage, files, grade, provision } = emulator.launch({
  role: 'instructor',
}) as never as Claims;
const seen = { accepted: 0, refused: 0 };

beforeAll(() => call('PUT', provision.context, ''));
afterAll(() => {
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(RUNS.numRuns);
  emulator.close();
});

/** The code of the refusal, or undefined where the emulator takes the body. */
async function call(method: string, url: string, body: string): Promise<string | undefined> {
  const reply = await emulator.handle({
    method,
    target: url.slice(emulator.state.urls.api.length),
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/json' },
    body: Buffer.from(body),
    origin: 'api',
  });
  seen[reply.status < 300 ? 'accepted' : 'refused'] += 1;
  if (reply.status < 300) return undefined;
  expect(reply.status).toBe(422);
  return (JSON.parse(String(reply.body)) as { error: { code: string } }).error.code;
}

function expectAgreement(findings: readonly Finding[], refusal: string | undefined): void {
  const codes = findings.map(({ code }) => code as string);
  if (findings.some(({ severity }) => severity === 'error'))
    expect(codes).toContain(refusal ?? '(accepted)');
  else if (findings.length === 0) expect(refusal).toBeUndefined();
  else if (refusal !== undefined) expect(codes).toContain(refusal);
}

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

const ROW = '{"a":{"b":1},"list":[1,{"c":2}],"text":"x","n":null,"big":1e400}';
const PATHS = [
  '',
  '/a',
  '/a/b',
  '/list/0',
  '/list/-',
  '/list/01',
  '/list/9',
  '/new/deep/er',
].concat(['/__proto__/x', 'a', '/~', '/~2', '#/a', '/constructor/prototype', '/text/x']);
const OPERATION = payload({
  op: json('add', 'replace', 'remove', 'move', 'copy', 'test', 'Add', 'put'),
  path: json(...PATHS),
  value: jsonText,
});
const rows = nearly(payload({ a: jsonText, b: jsonText, ['__proto__']: jsonText }));
const keys = fc.oneof(
  fc.constantFrom('a', 'a.b-c_d', 'x'.repeat(128), 'x'.repeat(129), '.a', '-', 'ä', 'a b', '%41'),
  fc.string({ minLength: 1, maxLength: 6 }),
  fc.stringMatching(/^[A-Za-z0-9._-]{1,130}$/),
);
const OPTIONS = { kind: 'member', listing: '[]' } as const;

/** Random texts of a kind, and what the validator and the emulator are asked. */
const CASES: Readonly<
  Record<
    string,
    {
      readonly texts: fc.Arbitrary<string>;
      readonly validate: (text: string, key: string) => readonly Finding[];
      readonly send: (text: string, key: string) => Promise<string | undefined>;
    }
  >
> = {
  'member rows': {
    texts: rows,
    validate: (text) => validateRow(text, { kind: 'member' }),
    send: (text) => call('PUT', storage.member, text),
  },
  'context rows': {
    texts: rows,
    validate: (text) => validateRow(text, { kind: 'context' }),
    send: (text) => call('PUT', storage.context, text),
  },
  patches: {
    texts: nearly(
      fc.array(OPERATION, { maxLength: 3 }).map((each) => `{"patch":[${each.join(',')}]}`),
    ),
    validate: (text) => validatePatch(text, { kind: 'member', against: ROW }),
    send: async (text) => {
      await call('PUT', storage.member, ROW);
      return call('PATCH', storage.member, text);
    },
  },
  declarations: {
    texts: nearly(
      payload({
        size: json(0, 1, 26_214_400, 26_214_401, -1, 1.5, '1', null),
        mimetype: json('', 'text/plain', 7),
        filename: json('', 'a.txt', false),
        attachment: json(true, false, 'no'),
      }),
    ),
    validate: (text, key) => validateDeclaration(text, { key, ...OPTIONS }),
    send: (text, key) => {
      const [path, query] = files.member.split('?');
      const at = `${path}/${encodeURIComponent(key)}`;
      return call('PUT', query === undefined ? at : `${at}?${query}`, text);
    },
  },
  grades: {
    texts: nearly(
      payload({
        score: json(0, 1, 0.5, 1.0001, -0.1, '1', null, true),
        max_score: json(50, 0.1, 0, -1, '50', null),
        comment: json('', 'x', 7),
        activity_progress: json('Completed', 'Submitted', 'completed', ''),
        grading_progress: json('FullyGraded', 'Pending', 'Done', null),
        launch_id: json('x'),
      }),
    ),
    validate: (text) => validateGrade(text),
    send: (text) => call('POST', grade.submit, text),
  },
};

test.each(Object.entries(CASES))(
  'validator and emulator agree on random %s',
  async (_, { texts, validate, send }) => {
    await fc.assert(
      fc.asyncProperty(texts, keys, async (text, key) => {
        expectAgreement(validate(text, key), await send(text, key));
      }),
      RUNS,
    );
  },
);
