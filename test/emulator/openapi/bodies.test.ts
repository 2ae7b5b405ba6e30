import type { ValidateFunction } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator, type PlainRequest } from '../../../src/emulator/index.ts';
import { openapi } from '../../../src/emulator/openapi/index.ts';
import { Answers, faultsOf } from '../../support/answers.ts';
import {
  type Arbitrary,
  assert,
  asyncProperty,
  constantFrom,
  jsonValue,
  nat,
  oneof,
  record,
} from '../../support/property.ts';
import { seededBytes } from '../../support/seeded.ts';
import type { Claims } from '../documents.ts';
import { START } from '../subject.ts';

/*
 * What the emulator takes is what its documents say: bodies made at random, near the examples, are
 * refused for their shape exactly where the schema refuses them.
 */

const RUNS = 220;
/** These tests alone reach the goal for a whole run. */
const LEAST_EXCHANGES = 5000;
const CONTROL_TOKEN = 'control-token';

const documents = { service: openapi('service'), control: openapi('control') };
const documented = {
  service: new Answers(documents.service),
  control: new Answers(documents.control),
};
let exchanges = 0;

type Json = Readonly<Record<string, unknown>>;

interface Body {
  readonly schema: Json;
  readonly example?: unknown;
}

/** Values at the edges of what the schemas say. */
const EDGES = JSON.parse(`[
  null, true, false, "", "x", "GET", "private", "publish", "0.5", "2026-10-14T08:00:00Z",
  0, -1, 0.5, 1, 1.5, 2, 300, 599, 600, 26214400, 26214401, 2147483648, 1e21,
  [], {}, ["x"], [1], [null], [{}], {"a": "b"}, {"a": 1}, {"a b": "c"},
  "/a", "/a~1b", "/a~", "a", "add", "remove", "move"
]`) as unknown[];

interface Change {
  readonly at: number;
  readonly how: 'set' | 'delete' | 'whole' | 'keep' | 'inner';
  readonly value: unknown;
}

const change: Arbitrary<Change> = record({
  at: nat(40),
  how: constantFrom('set', 'set', 'set', 'delete', 'whole', 'keep', 'inner'),
  value: oneof({ weight: 6, arbitrary: constantFrom(...EDGES) }, jsonValue({ maxDepth: 2 })),
});

/** A body with some field set to something else, or left out, or another one. */
function changed(body: unknown, names: readonly string[], { at, how, value }: Change): unknown {
  if (how === 'whole') return value;
  if (how === 'keep' || typeof body !== 'object' || body === null) return body;
  const own = [...new Set([...Object.keys(body), ...names, 'another'])];
  const name = own[at % own.length] as string;
  if (how === 'delete') {
    return Object.fromEntries(Object.entries(body).filter(([each]) => each !== name));
  }
  const inner = (body as Json)[name];
  if (how === 'inner' && typeof inner === 'object' && inner !== null) {
    const made = changedInside(inner, { at, how: 'set', value });
    return { ...body, [name]: made };
  }
  return { ...body, [name]: value };
}

/** A change of what is inside a field: of an element of a list, or of a field of an object. */
function changedInside(inner: object, how: Change): unknown {
  if (!Array.isArray(inner)) return changed(inner, [], how);
  return inner.map((each: unknown) => changed(each, ['value', 'path', 'op'], how));
}

async function send(emulator: Emulator, method: string, url: string, token: string, body: unknown) {
  const target = url.startsWith('/') ? url : url.slice(emulator.state.urls.api.length);
  const request: PlainRequest = {
    method,
    target,
    origin: 'api',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  };
  const reply = await emulator.handle(request);
  exchanges++;
  expect(faultsOf({ request, reply }, Object.values(documented))).toEqual([]);
  const text = typeof reply.body === 'string' ? reply.body : '{}';
  const { error } = JSON.parse(text) as { error?: { code: string; message?: string } };
  return { status: reply.status, code: error?.code ?? '', message: error?.message ?? '' };
}

/** Refusals of what a schema cannot know: what is there, and what else was written. */
const NOT_SHAPE =
  /^(row\.|locations\.(too_deep|no_url)|files\.|grade\.not_assessment|patch\.(target_missing|parent_not_container|index_))/;
const NOT_SHAPE_MESSAGE =
  /is not in review|has no API key|is external|cannot be set to that|valid regular expression/;

type Refusal = Awaited<ReturnType<typeof send>>;

function isOfShape({ status, code, message }: Refusal): boolean {
  if (status !== 422 || NOT_SHAPE.test(code)) return false;
  if (code === 'control.body') return !NOT_SHAPE_MESSAGE.test(message);
  return /^(body|patch|grade|file|locations)\./.test(code);
}

function operationAt(part: 'service' | 'control', path: string, method: string) {
  const paths = documents[part].paths as Readonly<Record<string, Json>>;
  const operation = paths[path]?.[method.toLowerCase()] as {
    requestBody?: { content: Readonly<Record<string, Body>> };
  };
  const body = operation.requestBody?.content['application/json'];
  const at = path.replaceAll('~', '~0').replaceAll('/', '~1');
  const pointer = `/paths/${at}/${method.toLowerCase()}/requestBody/content/application~1json/schema`;
  return { body, validate: (): ValidateFunction => documented[part].validator(pointer) };
}

async function agrees(
  emulator: Emulator,
  part: 'service' | 'control',
  path: string,
  method: string,
  { url, token, names = [] }: { url: string; token: string; names?: readonly string[] },
): Promise<void> {
  const { body, validate } = operationAt(part, path, method);
  const isValid = validate();
  const counts = { valid: 0, invalid: 0 };
  const fields = [...names, ...Object.keys((body?.schema.properties as object | undefined) ?? {})];
  await assert(
    asyncProperty(change, change, async (first, second) => {
      const made = changed(changed(body?.example ?? {}, fields, first), fields, second);
      const refusal = await send(emulator, method, url, token, made);
      const valid = isValid(made);
      counts[valid ? 'valid' : 'invalid']++;
      // Refused as well: what it is about is looked for first.
      if (!valid && refusal.status === 404) return;
      expect(isOfShape(refusal), `${JSON.stringify(made)}: ${JSON.stringify(refusal)}`).toBe(
        !valid,
      );
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(counts.valid, counts.invalid)).toBeGreaterThan(0);
}

const emulatorOf = (): Emulator =>
  createEmulator({ random: seededBytes(), now: () => START, controlToken: CONTROL_TOKEN });

describe('the service and its OpenAPI document agree on random bodies', () => {
  const shapes = {
    row: '/data/v1/locations/{location}/row',
    file: '/data/v1/locations/{location}/files/{key}',
    grade: '/contexts/{course}/tools/{tool}/placements/{location}/members/{member}/scores',
  };

  test.each([
    ['PUT', shapes.row, ({ storage }: Claims) => storage.location, []],
    ['PATCH', shapes.row, ({ storage }: Claims) => storage.location, ['patch']],
    [
      'PUT',
      shapes.file,
      ({ files }: Claims) => `${files.location}/a.txt`,
      ['size', 'mimetype', 'filename', 'attachment'],
    ],
    [
      'POST',
      shapes.grade,
      ({ grade }: Claims) => grade.submit,
      ['score', 'max_score', 'comment', 'activity_progress', 'grading_progress'],
    ],
  ] as const)('of %s %s', async (method, path, url, names) => {
    const emulator = emulatorOf();
    const claims = emulator.launch({ role: 'instructor', location: 'essay-1' }) as never as Claims;
    const { token } = claims.api;
    await agrees(emulator, 'service', path, method, { url: url(claims), token, names });
    emulator.close();
  });
});

describe('the control API and its OpenAPI document agree on random bodies', () => {
  // A stop ends it, a fixture takes long, and an export is more than JSON.
  const LEFT_OUT = /\/(stop|fixture|import)$/;
  const paths = documents.control.paths as Readonly<Record<string, Json>>;
  const posts = Object.keys(paths).filter(
    (path) =>
      paths[path]?.post !== undefined &&
      operationAt('control', path, 'POST').body !== undefined &&
      !LEFT_OUT.test(path) &&
      operationAt('control', path, 'POST').body?.schema !== undefined,
  );

  test.each(posts)('of POST %s', async (path) => {
    const emulator = emulatorOf();
    const query = path.endsWith('/row') ? '?row=member/essay/member-111' : '';
    await agrees(emulator, 'control', path, 'POST', { url: path + query, token: CONTROL_TOKEN });
    emulator.close();
  });
});

test.each<[string, Json, boolean]>([
  ['clock', { set: 'x' }, false],
  ['clock', { set: '2026-02-30T08:00:00Z' }, false],
  ['clock', { set: '2026-10-14T23:59:60Z' }, false],
  ['clock', { set: '2026-10-14 08:00:00Z' }, false],
  ['clock', { set: '1969-10-14T08:00:00Z' }, false],
  ['clock', { set: '1971-01-01T00:00:00+14:00' }, true],
  ['clock', { set: '9998-12-31T23:59:59.999-12:00' }, true],
  ['clock', { set: '2026-10-14t08:00:00z' }, true],
  ['clock', { set: '2026-10-14' }, true],
  ['clock', { advance_seconds: 1e300 }, false],
  ['clock', { advance_seconds: '9'.repeat(300) }, false],
  ['clock', { advance_seconds: 1e11 }, true],
  ['clock', { advance_seconds: '-1' }, true],
  ['clock', { advance_seconds: -1e9 }, true],
  ['clock', { advance_seconds: -1e9 - 1 }, false],
  ['locations', { answer: {} }, false],
  ['locations', { answer: { places: [] } }, false],
  ['locations', { answer: { message: {} } }, false],
  ['locations', { answer: { message: '' } }, true],
  ['locations', { answer: { locations: null } }, true],
])('the OpenAPI document and the emulator agree on POST %s %j', async (name, made, isTaken) => {
  const emulator = emulatorOf();
  const path = `/_emulator/${name}`;
  const isValid = operationAt('control', path, 'POST').validate();
  const { status } = await send(emulator, 'POST', path, CONTROL_TOKEN, made);
  expect([isValid(made), status]).toEqual([isTaken, isTaken ? 200 : 422]);
  emulator.close();
});

// After all of them, in whatever order they ran.
afterAll(() => {
  const counted = Object.values(documented).reduce((sum, each) => sum + each.takeCount(), 0);
  expect(counted).toBe(exchanges);
  expect(counted).toBeGreaterThanOrEqual(LEAST_EXCHANGES);
});
