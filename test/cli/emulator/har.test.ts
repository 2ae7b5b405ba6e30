import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Claims } from '../../emulator/documents.ts';
import { formOf, send } from '../../emulator/wire.ts';
import { type HarEntry, type HarLog, harProblems } from '../../support/har.ts';
import { jsonOf } from '../../support/steps.ts';
import { emulated } from './running.ts';

/** An emulator, and what `emulator requests --har` writes of its traffic. */
async function recorded() {
  const at = await emulated();
  const launch = (flags = ''): Promise<Claims> => at.json<Claims>(`emulator launch ${flags}`);
  const har = async (flags = '') => {
    const line = `emulator requests --har traffic.har ${flags}`;
    const { stderr } = await at.step(line, { stdout: '' });
    const text = readFileSync(join(at.folder, 'traffic.har'), 'utf8');
    const document = JSON.parse(text) as HarLog;
    expect(harProblems(document)).toEqual([]);
    for (const { request } of document.log.entries) {
      // As a URL parser has it, and of the characters that a URI can have.
      expect(URL.canParse(request.url)).toBe(true);
      expect(request.url).toMatch(/^http:\/\/[!-~]+$/);
    }
    return { text, stderr, log: document.log, entries: document.log.entries };
  };
  return { ...at, ready: at.started.ready, launch, har };
}

const header = ({ headers }: HarEntry['request'], wanted: string) =>
  headers.find(({ name }) => name === wanted)?.value;

test('emulator requests --har writes each request with its headers and bodies', async () => {
  const { ready, step, launch, har } = await recorded();
  const claims = await launch();
  const { token } = claims.api;
  const row = claims.storage.member;
  await send('PUT', row, { token, json: { theme: 'dark' } });
  await send('GET', row, { token });
  await send('GET', `${ready.base_url}/apps/me`);
  const { log, entries, stderr } = await har();
  expect(log).toMatchObject({ version: '1.2', creator: { name: 'lectern' } });
  expect(stderr).toContain('3 requests in traffic.har');
  const [put, get, removed] = entries as [HarEntry, HarEntry, HarEntry];
  const postData = { mimeType: 'application/json', text: '{"theme":"dark"}' };
  const [tool, of] = [
    { name: 'tool', value: 'essay' },
    { name: 'of', value: 'me&you' },
  ];
  const given = { method: 'PUT', url: row, httpVersion: 'HTTP/1.1', postData, bodySize: 16 };
  expect(put.request).toMatchObject({ ...given, queryString: [tool, of] });
  expect(put.response).toMatchObject({ status: 204, statusText: 'No Content', bodySize: 0 });
  expect(get.response).toMatchObject({
    status: 200,
    content: { size: 16, mimeType: 'application/json', text: '{"theme":"dark"}' },
  });
  expect(get.request).not.toHaveProperty('postData');
  expect(removed.response).toMatchObject({ status: 404, statusText: 'Not Found' });
  const numbers = entries.map(({ _number: number }) => ({ number }));
  await step('emulator requests --json', { json: numbers });
});

test('emulator requests --har contains no secret, and its URLs stay valid', async () => {
  const { ready, step, json, launch, har } = await recorded();
  const claims = await launch('--role instructor');
  const { account: other } = await json<{ account: Claims }>('emulator fixture');
  const { token } = claims.api;
  const key = (await step('emulator key')).stdout.trim();
  const file = `${claims.files.member}/a.txt`;
  const declared = await send('PUT', file, { token, json: { size: 5 } });
  const { url, fields } = declared.json();
  await send('POST', url, formOf(fields, 'hello'));
  const record = (await send('GET', file, { token })).json();
  await send('GET', record.url);
  await send('POST', other.grade.submit, { token: other.api.token, json: { score: 1 } });
  await send('GET', `${ready.base_url}/apps/me?token=${token}&key=${key}&x=%zz%e`);
  await send('POST', claims.grade.submit, { token: key, json: { score: 1, comment: key } });
  const { text, entries } = await har();
  const signature = /signature=([\w-]+)/.exec(record.url)?.[1] ?? '';
  const check = /check=([\w-]+)/.exec(other.grade.submit)?.[1] ?? '';
  const secrets = [token, other.api.token, key, signature, check, fields.policy ?? ''];
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8);
    expect(text).not.toContain(secret);
  }
  const [first, upload, , download, grade, removed] = entries as HarEntry[];
  expect(first && header(first.request, 'authorization')).toBe('Bearer …');
  expect(upload?.request.url).toBe(`${ready.blob_url}/eu%2Fnorth-1/incoming?REDACTED`);
  expect(download?.request.url).toMatch(/\/a\.txt\?REDACTED$/);
  expect(download?.response.content).toMatchObject({ comment: expect.stringMatching(/not kept/) });
  expect(grade?.request.url).toMatch(/\/account\/v1\/users\/.*\/scores\?check=REDACTED$/);
  expect(removed?.request.url).toContain('/apps/me?token=');
});

test('emulator requests --har gives a closed connection the status 0', async () => {
  const { step, launch, har } = await recorded();
  const { storage, api } = await launch();
  await step('emulator fault --path /row --close before');
  await expect(send('GET', storage.member, { token: api.token })).rejects.toThrow();
  const { entries } = await har();
  expect(entries).toMatchObject([{ response: { status: 0, statusText: '' }, _fault: 'close' }]);
});

test('emulator requests --har applies the filter and the limit of the list, and writes to standard output', async () => {
  const { step, launch, har } = await recorded();
  const { storage, api } = await launch();
  for (let times = 0; times < 2; times++) await send('GET', storage.member, { token: api.token });
  await send('PUT', storage.member, { token: api.token, json: {} });
  expect((await har('--filter method:PUT')).entries).toHaveLength(1);
  expect((await har('--limit 2')).entries.map(({ _number }) => _number)).toEqual([2, 3]);
  expect((await har('--after 2')).entries).toHaveLength(1);
  expect((await har('--filter by:amina')).entries).toEqual([]);
  const log = jsonOf(await step('emulator requests --har -')) as HarLog;
  expect([harProblems(log), log.log.entries.length]).toEqual([[], 3]);
});
