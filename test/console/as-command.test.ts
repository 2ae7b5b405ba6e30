import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { asCurl, asLectern } from '../../src/console/parts/as-command.ts';
import { launchOf } from '../emulator/subject.ts';
import { startEmulator } from '../support/emulator.ts';
import { inShell } from '../support/shell.ts';

const BASE = 'http://127.0.0.1:8080';
const at = (path: string): string => `${BASE}${path}`;

// The addresses of a launch are opaque: those of --vary, and of a service behind `lectern observe`.
test.each<[method: string, about: string | null, path: string, command: string]>([
  ['GET', 'member row', '/v1/tools/a/row', `lectern storage get ${at('/v1/tools/a/row')}`],
  ['GET', 'context files', '/s/files?of=a/b', `lectern files ls '${at('/s/files?of=a/b')}'`],
  ['GET', 'member file', '/s/f/a%20b?of=a/b', `lectern files stat '${at('/s/f?of=a/b')}' 'a b'`],
  ['DELETE', 'member file', '/files/a/x', `lectern files rm ${at('/files/a')} x --yes`],
  ['PUT', 'location provision', '/p', `lectern provision location --url ${at('/p')}`],
  ['POST', 'grade', '/g', `lectern grade submit --url ${at('/g')} --score SCORE`],
  ['GET', 'grade', '/contexts/c/scores', ''],
  ['DELETE', 'member row', '/data/v1/row', ''],
  ['GET', null, '/apps/me', ''],
])('%s of a %s at %s is a command of its method', (method, about, path, command) => {
  const request = { method, about, path, captured: null };
  expect(asLectern(request as Parameters<typeof asLectern>[0], BASE)).toBe(command);
});

const run = promisify(execFile);

test('a request that is copied as a command is sent again as it was', async () => {
  const { url, control, launch } = await startEmulator();
  const student = launchOf((await launch({ role: 'student' })) as never);
  const { token } = student;
  const json = { 'content-type': 'application/json' };
  const odd = `{"rate":1.10,"text":"it's $HOME \`id\` \\"quoted\\" – ✓",\n "more":"%s @file"}`;
  await student.call('PUT', student.row('member'), { body: odd, headers: json });
  const untyped = { authorization: `Bearer ${token}` };
  const body = Buffer.from('@/etc/hostname');
  await fetch(student.row('member'), { method: 'PUT', headers: untyped, body });
  await student.patch(student.row('member'), [{ op: 'add', path: '/step', value: 1 }]);
  await student.get(student.row('member'));
  await student.get(`${student.files('member')}/[a-b]{c}`);
  await student.upload('member', 'notes.txt', 'x');
  await student.get(student.file('member', 'notes.txt'));
  await student.get(student.files('member'));
  await student.grade({ score: 0.5, max_score: 10, comment: "Amina's" });
  await student.call('DELETE', student.file('member', 'gone.txt'));
  const all = async () => [...(await control('GET requests')).requests];
  const sent = (await all()).filter(({ origin }) => origin === 'api');
  const kinds = sent.map(({ status }) => String(status).slice(0, 1)).join('');
  expect(kinds).toBe('2422422222');
  const seen = async (number: number) => {
    const request = await control('GET request', { number });
    const { method, path, status, credential, error, captured } = request;
    const type = captured?.request.headers.find(([name]) => name === 'content-type');
    const had = { method, path, status, credential, error, type, body: captured?.request.body };
    return { request, had };
  };
  for (const { number } of sent) {
    const { request, had } = await seen(number);
    await run('sh', ['-c', asCurl(request, url)], {
      env: { PATH: process.env.PATH, TOKEN: token },
    });
    const last = (await all()).at(-1)?.number ?? 0;
    expect((await seen(last)).had).toEqual(had);
  }
  for (const { number, method, status, error } of sent) {
    const command = asLectern(await control('GET request', { number }), url);
    if (error !== null || command.includes(' FILE ')) continue;
    const before = (await all()).length;
    await inShell(command, { env: { LECTERN_TOKEN: token } });
    const made = (await all()).slice(before).map((each) => [each.method, each.status]);
    expect([command, made]).toEqual([command, expect.arrayContaining([[method, status]])]);
  }
  const row = await student.get(student.row('member'));
  expect(row.json()).toEqual({ ...JSON.parse(odd), step: 1 });
  const { attempts } = await control('GET state');
  expect(attempts.map(({ data }) => data.comment)).toEqual(Array(3).fill("Amina's"));
});
