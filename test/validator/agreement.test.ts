/**
 * The validator's verdict is the emulator's: an error is a refusal with the same code, and what has
 * no finding is accepted. A warning leaves both open.
 */
import * as fc from 'fast-check';
import cases from 'json-patch-test-suite/tests.json' with { type: 'json' };
import specCases from 'json-patch-test-suite/spec_tests.json' with { type: 'json' };
import { afterAll, describe, expect, test } from 'vitest';
import type { RowKind } from '../../src/contract/index.ts';
import { createEmulator, CONTROL_PREFIX } from '../../src/emulator/index.ts';
import {
  decodeLaunch,
  type Finding,
  validateDeclaration,
  validateGrade,
  validatePatch,
  validateRow,
} from '../../src/validator/index.ts';
import { anyText, jsonText, objectOf, RUNS, withSlip } from './properties.ts';

const emulator = createEmulator({ controlToken: 'control' });
/** How often the emulator took a body, and how often it refused one. */
const seen = { accepted: 0, refused: 0 };
afterAll(() => {
  emulator.close();
  expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(RUNS);
});

interface Claims {
  readonly api: { readonly token: string };
  readonly storage: Record<RowKind, string>;
  readonly files: Record<RowKind, string>;
  readonly grade: { readonly submit: string };
  readonly provision: { readonly context: string };
}

interface Made {
  readonly claims: Claims;
}

/** A launch of the emulator, with its course row provisioned. */
const claims = await (async (): Promise<Claims> => {
  const body = new TextEncoder().encode('{"role":"instructor"}');
  const { claims: made } = (await send('POST', `${CONTROL_PREFIX}launch`, 'control', body))
    .body as Made;

  await send('PUT', pathOf(made.provision.context), made.api.token, new Uint8Array());
  return made;
})();

async function send(
  method: string,
  target: string,
  token: string,
  body: Uint8Array,
): Promise<{ status: number; body: unknown }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const reply = await emulator.handle({ method, target, headers, body, origin: 'api' });
  const text = typeof reply.body === 'string' ? reply.body : '';
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
}

function pathOf(url: string): string {
  return url.replace(/^https?:\/\/[^/]+/, '');
}

/** What the emulator says: the code of its refusal, or undefined when it takes the body. */
async function refusalOf(method: string, url: string, text: string): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(text);
  const answer = await send(method, pathOf(url), claims.api.token, bytes);
  const isAccepted = answer.status < 300;
  seen[isAccepted ? 'accepted' : 'refused'] += 1;
  if (isAccepted) return undefined;
  expect(answer.status).toBe(422);
  return (answer.body as { error: { code: string } }).error.code;
}

function expectAgreement(findings: readonly Finding[], refusal: string | undefined): void {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const codes = findings.map(({ code }) => code as string);
  if (errors.length > 0) expect(codes).toContain(refusal ?? '(accepted)');
  else if (findings.length === 0) expect(refusal).toBeUndefined();
  else if (refusal !== undefined) expect(codes).toContain(refusal);
}

const check = (
  texts: fc.Arbitrary<string>,
  agree: (text: string) => Promise<void>,
): Promise<void> => fc.assert(fc.asyncProperty(texts, agree), { numRuns: RUNS });

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

describe('launches', () => {
  test.each<[string, string, object]>([
    ['staff', 'launch', { role: 'manager' }],
    ['a student', 'launch', { role: 'student' }],
    ['an account address', 'launch', { role: 'student', account: true }],
    ['no assessment', 'launch', { location: 'essay-guide' }],
    ['a provision request', 'provision-request', {}],
    ['a copied course', 'provision-request', { course: 'biology-102' }],
  ])('%s of the emulator has no error', async (_, operation, wish) => {
    const body = new TextEncoder().encode(JSON.stringify(wish));
    const made = await send('POST', `${CONTROL_PREFIX}${operation}`, 'control', body);
    const now = emulator.service.clock.now();
    const decoded = decodeLaunch(JSON.stringify(made.body), { now });
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

describe('rows', () => {
  const rows = nearly(payload({ a: jsonText, b: jsonText, ['__proto__']: jsonText }));

  test.each(['member', 'context'] as const)('%s', async (kind) => {
    await check(rows, async (text) => {
      const refusal = await refusalOf('PUT', claims.storage[kind], text);
      expectAgreement(validateRow(text, { kind }), refusal);
    });
  });

  test.each([-1, 0, 1])('at the limit %i', async (more) => {
    const text = `{"a":"${'x'.repeat(524_280 + more)}"}`;
    const refusal = await refusalOf('PUT', claims.storage.member, text);
    expectAgreement(validateRow(text, { kind: 'member' }), refusal);
    expect(refusal).toBe(more > 0 ? 'row.too_large' : undefined);
  });
});

describe('patches', () => {
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

  const agree = async (text: string, against: string): Promise<void> => {
    await refusalOf('PUT', claims.storage.member, against);
    const refusal = await refusalOf('PATCH', claims.storage.member, text);
    expectAgreement(validatePatch(text, { kind: 'member', against }), refusal);
  };

  test('any', () => check(patches, (text) => agree(text, row)));

  const suite = [...cases, ...specCases].filter(
    ({ doc }) => typeof doc === 'object' && doc !== null && !Array.isArray(doc),
  );

  test('the test suite of JSON Patch', async () => {
    expect(suite.length).toBeGreaterThan(50);
    for (const { doc, patch } of suite) await agree(JSON.stringify({ patch }), JSON.stringify(doc));
  });
});

describe('declarations', () => {
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

  test('any', async () => {
    await fc.assert(
      fc.asyncProperty(declarations, keys, async (text, key) => {
        const [path = '', query = ''] = claims.files.member.split('?');
        const url = `${path}/${encodeURIComponent(key)}${query === '' ? '' : `?${query}`}`;
        const findings = validateDeclaration(text, { key, kind: 'member', listing: '[]' });
        expectAgreement(findings, await refusalOf('PUT', url, text));
      }),
      { numRuns: RUNS },
    );
  });
});

describe('grades', () => {
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

  test('any', async () => {
    await check(grades, async (text) => {
      expectAgreement(validateGrade(text), await refusalOf('POST', claims.grade.submit, text));
    });
  });
});
