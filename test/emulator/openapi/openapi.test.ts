import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import type { Code } from '../../../src/contract/index.ts';
import { chosenBy } from '../../../src/emulator/freedom/vary.ts';
import { checkShape } from '../../../src/schema/check.ts';
import type { JsonSchema } from '../../../src/schema/schema.ts';
import { openapi } from '../../../src/emulator/openapi/index.ts';
import { Answers, faultsOf } from '../../support/answers.ts';
import { send } from '../wire.ts';
import { emulatedOnce } from '../subject.ts';

interface OpenApi {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly requestBody?: { readonly content: object } }>>
    >
  >;
}

interface Components {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

const PARTS = ['service', 'control'] as const;

const own = emulatedOnce();

const document = (part: (typeof PARTS)[number]): OpenApi => openapi(part) as never;

describe('the OpenAPI documents', () => {
  test.each(PARTS)('of the %s API pass the linter Redocly', async (part) => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const source = JSON.stringify(openapi(part, own.served.emulator.state));
    const problems = await lintFromString({ source, absoluteRef: `${part}.json`, config });
    const found = problems.map(({ ruleId, message, location: [at] }) => [
      ruleId,
      message,
      at?.pointer,
    ]);
    expect(found).toEqual([]);
  });

  test.each([
    ['service', 'openapi.json'],
    ['control', 'openapi-control.json'],
  ] as const)('are served without a token: %s', async (part, path) => {
    const first = await send('GET', `${own.served.url}/_emulator/${path}`);
    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toBe('application/json');
    expect(first.json()).toEqual(
      JSON.parse(JSON.stringify(openapi(part, own.served.emulator.state))),
    );
  });

  test.each([
    ['empty_patch', 'Patch', { patch: [] }],
    ['empty_files', 'Declaration', { size: 0 }],
    ['kilobytes', 'Declaration', { size: 25_000_001 }],
    ['nulls', 'Declaration', { size: 1, mimetype: null }],
    ['nulls', 'Grade', { score: 1, comment: null }],
    ['unknown_fields', 'Grade', { score: 1, coment: '' }],
  ] as const)('of the service refuse what the value of %s refuses in a %s', (name, part, body) => {
    const schemaOf = (codes: readonly Code[]) => {
      const chosen = { ...chosenBy(undefined).chosen, [name]: codes };
      const { components } = openapi('service', { chosen }) as never as Components;
      return components.schemas[part] ?? {};
    };
    expect(checkShape(schemaOf([]), body)).toEqual([]);
    expect(checkShape(schemaOf(['patch.empty']), body)).not.toEqual([]);
  });

  test('name the origins of the emulator that serves them', async () => {
    const found: OpenApi = (await own.operate('GET', 'openapi.json')).json();
    expect(found.openapi).toBe('3.1.0');
    expect(found.servers).toEqual([{ url: own.served.url }]);
    const signed = Object.values(found.paths).filter((item) => 'servers' in item);
    expect(signed.map(({ servers }) => servers)).toEqual(
      signed.map(() => [{ url: own.served.blobUrl }]),
    );
  });

  test('of the control API list every type that an import accepts', async () => {
    const { bytes: body } = await own.operate('GET', 'export');
    const { content = {} } =
      document('control').paths['/_emulator/import']?.post?.requestBody ?? {};
    const types = Object.keys(content);
    expect(types).toEqual(['application/vnd.sqlite3', 'application/x-ndjson']);
    const statuses = [];
    for (const type of [...types, 'application/zip']) {
      const headers = { 'content-type': type };
      statuses.push((await own.operate('POST', 'import', { body, headers })).status);
    }
    expect(statuses).toEqual([200, 200, 415]);
    expect(JSON.stringify(content)).toContain('the database of an emulator');
  });
});

/** What the words of a schema cannot say as they are: instants, and an answer that names something. */
test.each<[string, object, boolean]>([
  ['clock', { set: 'x' }, false],
  ['clock', { set: '2026-02-30T08:00:00Z' }, false],
  ['clock', { set: '1969-10-14T08:00:00Z' }, false],
  ['clock', { set: '1971-01-01T00:00:00+14:00' }, true],
  ['clock', { set: '2026-10-14t08:00:00z' }, true],
  ['clock', { advance_seconds: 1e300 }, false],
  ['clock', { advance_seconds: '-1' }, true],
  ['clock', { advance_seconds: -1e9 - 1 }, false],
  ['locations', { answer: {} }, false],
  ['locations', { answer: { message: '' } }, true],
])('the OpenAPI document and the emulator agree on POST %s %j', async (name, json, isTaken) => {
  const body = `/paths/~1_emulator~1${name}/post/requestBody/content/application~1json/schema`;
  const isValid = new Answers(openapi('control')).validator(body);
  const { status } = await own.operate('POST', name, { json });
  expect([isValid(json), status]).toEqual([isTaken, isTaken ? 200 : 422]);
});

describe('the check that all tests of the emulator run', () => {
  const request = (target: string, method = 'GET') =>
    ({ method, target, headers: {}, body: new Uint8Array(), origin: 'api' }) as const;
  const json = (status: number, value: unknown) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  });

  test.each([
    ['a missing property', json(200, { now: 1, offset_ms: 0 })],
    ['an undocumented status', json(418, {})],
    ['a wrong content type', { ...json(200, {}), headers: { 'content-type': 'text/plain' } }],
  ])('reports %s', (_, reply) => {
    const described = [new Answers(openapi('control'))];
    expect(faultsOf({ request: request('/_emulator/clock'), reply }, described)).not.toEqual([]);
  });

  test('reports a request body that should have been rejected', () => {
    const described = [new Answers(openapi('service'))];
    const body = Buffer.from('{"patch":[{"op":"move","from":"/a","path":"/b"}]}');
    const patch = { ...request('/data/v1/locations/essay-1/row', 'PATCH'), body };
    const reply = { status: 204, headers: {}, body: null };
    expect(faultsOf({ request: patch, reply }, described)).not.toEqual([]);
  });
});
