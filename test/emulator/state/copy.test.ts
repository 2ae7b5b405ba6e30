import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Served } from '../../../src/emulator/index.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { launchOf, subjectOf, type Launch } from '../subject.ts';
import { type Answer, hangUp, send } from '../wire.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-copy-'));
const open: Served[] = [];
let count = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const served of open.splice(0)) await served.close();
});

const files = (data: string): string[] => readdirSync(join(data, 'files'));

async function start(data?: string): Promise<Served> {
  const served = await serveSeeded({ controlToken: 'control', pid: 1, ...(data && { data }) });
  open.push(served);
  return served;
}

const newFolder = (): string => join(folder, String(count++));

const exported = (served: Served): Promise<Answer> =>
  send('GET', `${served.url}/_emulator/export`, { token: 'control' });

const imported = (served: Served, body: Uint8Array): Promise<Answer> =>
  send('POST', `${served.url}/_emulator/import`, { token: 'control', body });

/** The same launch with the addresses of another emulator. */
function moved({ claims }: Launch, from: Served, to: Served): Launch {
  return launchOf(JSON.parse(JSON.stringify(claims).replaceAll(from.url, to.url)));
}

/** A world with something of everything in it. */
async function lived(served: Served): Promise<Launch> {
  const { control, launch } = subjectOf(served);
  const student = await launch({ member: 'member-111' });
  await student.call('PUT', student.row('member'), { body: '{ "exact" :  1.10, "ü": "\\u00fc" }' });
  await student.upload('member', 'empty', '');
  await student.upload('member', 'large', Buffer.alloc(700_000, 'lectern '));
  await student.grade({ score: 0.25, comment: 'one' });
  await student.grade({ score: 0.5, comment: 'two' });
  await control('lms', { refuse: { status: 500 }, location: 'essay-2' });
  await control('clock', { advance_seconds: 3600 });
  return student;
}

describe('an export that is imported', () => {
  let from: Served;
  let student: Launch;
  beforeEach(async () => {
    from = await start(newFolder());
    student = await lived(from);
  });

  test('restores everything byte for byte, and replaces the earlier state', async () => {
    const data = newFolder();
    const to = await start(data);
    const other = await lived(to);
    await other.upload('member_location', 'gone', 'gone');
    expect((await imported(to, (await exported(from)).bytes)).status).toBe(200);

    const [before, after] = [
      await subjectOf(from).control('state'),
      await subjectOf(to).control('state'),
    ];
    expect({ ...after, now: 0 }).toEqual({ ...before, now: 0 });
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeLessThan(60_000);
    expect((await other.get(other.row('member'))).status).toBe(401);
    const same = moved(student, from, to);
    expect((await same.get(same.row('member'))).bytes).toEqual(
      (await student.get(student.row('member'))).bytes,
    );
    for (const [key, bytes] of [
      ['empty', ''],
      ['large', Buffer.alloc(700_000, 'lectern ').toString()],
    ] as const) {
      const { url } = (await same.get(same.file('member', key))).json();
      expect((await send('GET', url)).text).toBe(bytes);
    }
    await expect.poll(() => files(data)).toHaveLength(2);
    const again = (await same.grade({ score: 1 })).json();
    expect(again.submitted > String(after.attempts[1]?.submitted)).toBe(true);
  });

  test('survives a restart, and its addresses stay valid', async () => {
    const data = newFolder();
    const to = await start(data);
    await imported(to, (await exported(from)).bytes);
    const account = await subjectOf(from).launch({ account: true });
    const { bytes } = await exported(from);
    await imported(to, bytes);
    await open.pop()?.close();
    hangUp();
    const again = await start(data);
    expect(again.url).toBe(to.url);
    const same = moved(account, from, again);
    expect((await same.grade({ score: 1 })).json().status).toBe('success');
    expect((await exported(again)).bytes.length).toBeGreaterThan(bytes.length - 500);
  });

  test('can be imported into an emulator without a data folder, and exported again', async () => {
    const to = await start();
    await imported(to, (await exported(from)).bytes);
    const back = await start(newFolder());
    await imported(back, (await exported(to)).bytes);
    const same = moved(student, from, back);
    const { url } = (await same.get(same.file('member', 'large'))).json();
    expect((await send('GET', url)).bytes).toHaveLength(700_000);
  });

  test('is rejected before its end if it is damaged', async () => {
    const { emulator } = await start();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(2000, 'x');
      await new Promise(() => {});
    }
    const { status } = await emulator.handle({
      method: 'POST',
      target: '/_emulator/import',
      headers: { authorization: 'Bearer control' },
      body: endless(),
      origin: 'api',
    });
    expect(status).toBe(422);
  });

  test('is rejected with the line that is damaged', async () => {
    const to = await start(newFolder());
    const { bytes } = await exported(from);
    const lines = bytes.toString('latin1').split('\n');
    const last = lines.length - 1;
    for (const [text, fault] of [
      ['', 'its end is missing'],
      ['{}\n', 'line 1: it is not the head of an export'],
      ['x'.repeat(2000), 'line 1: it is too long'],
      [lines.with(1, '[1').join('\n'), 'line 2: it is not a JSON object'],
      [lines.with(2, '{"row":1}').join('\n'), 'line 3: body is missing'],
      [`${lines.join('\n')}{}\n`, `line ${last + 1}: the export has ended before it`],
      [lines.slice(0, 2).join('\n'), 'line 2: it is incomplete'],
    ] as const) {
      const answer = await imported(to, Buffer.from(text, 'latin1'));
      const { message } = answer.json().error as { message: string };
      expect(message).toBe(`not a valid export: ${fault}; nothing was changed`);
    }
  });

  test('that is damaged anywhere is rejected completely, and leaves nothing behind', async () => {
    const data = newFolder();
    const to = await start(data);
    const mine = await lived(to);
    const { bytes } = await exported(from);
    const state = await subjectOf(to).control('state');
    const lineEnds = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1);
    const cuts = [0, 1, lineEnds[0], lineEnds.at(-2), bytes.length - 1] as number[];
    for (let index = 0; index < 12; index++) cuts.push(Math.floor((bytes.length / 12) * index));
    for (const cut of cuts) {
      const answer = await imported(to, bytes.subarray(0, cut));
      expect([cut, answer.status]).toEqual([cut, 422]);
      expect(answer.json().error.message).toMatch(/not a valid export: .*; nothing was changed/);
    }
    for (const at of [
      30,
      lineEnds[2],
      (lineEnds.at(-2) ?? 0) + 20,
      bytes.length - 10,
    ] as number[]) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
      expect([at, (await imported(to, flipped)).status]).toEqual([at, 422]);
    }
    expect((await imported(to, Buffer.concat([bytes, Buffer.from('{}\n')]))).status).toBe(422);
    const newer = bytes.toString('latin1').replace('"version":1', '"version":9');
    const message = (await imported(to, Buffer.from(newer, 'latin1'))).json().error.message;
    expect(message).toBe('the export has format 9, this lectern reads 1');
    const left = await subjectOf(to).control('state');
    expect({ ...left, now: 0 }).toEqual({ ...state, now: 0 });
    expect((await mine.get(mine.row('member'))).status).toBe(200);
    expect(files(data)).toHaveLength(2);
  });
});

/** An export of these lines, its end as lectern would write it. */
function exportOf(lines: readonly string[]): Buffer {
  const text = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return Buffer.from(`${text}${JSON.stringify({ end: true, lines: lines.length, sha256 })}\n`);
}

describe('an export from another program', () => {
  const DEEP = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

  test.each<[string, string, (line: string) => string]>([
    ['an unknown collection', '"collection":"tools"', (line) => line.replace('tools', 'toys')],
    ['a tool without versions', '"collection":"tools"', (line) => line.replace('versions', 'x')],
    [
      'a member without a role',
      '"collection":"members"',
      (line) => line.replace(/"item":.*/, '"item":5}'),
    ],
    [
      'an ID that is a number',
      '"collection":"courses"',
      (line) => line.replace(/"id":"[^"]*"/, '"id":5'),
    ],
    [
      'a clock past the last date',
      '"collection":"clock"',
      (line) => line.replace(/\d+\}\}$/, '9e99}}'),
    ],
    [
      'a token without a time',
      '"collection":"tokens"',
      (line) => line.replace(/"issued":\d+/, '"issued":"x"'),
    ],
    [
      'a file key that leaves a folder',
      '"collection":"files"',
      (line) => line.replace('"key":"', '"key":"../../'),
    ],
    [
      'a file of another row than its ID',
      '"collection":"files"',
      (line) => line.replace('"row":"member/', '"row":"context/'),
    ],
    [
      'a file of an unknown row kind',
      '"collection":"files"',
      (line) => line.replaceAll('member/', 'toys/'),
    ],
    [
      'a member with a path as its ID',
      '"collection":"members"',
      (line) => line.replaceAll('member-', '../'),
    ],
    [
      'a location with a path as its ID',
      '"collection":"locations"',
      (line) => line.replaceAll('"id":"', '"id":"../'),
    ],
    ['a row of an unknown kind', '{"row":', (line) => line.replace('"row":"', '"row":"toys')],
    [
      'an attempt of a member with a path',
      '{"attempt":',
      (line) => line.replace(/.*"member":"/, '$&../'),
    ],
    ['a row that is not JSON', '{"row":', (line) => line.replace(/"body":.*/, '"body":"{"}')],
    ['a row that is an array', '{"row":', (line) => line.replace(/"body":.*/, '"body":"[]"}')],
    ['bytes that are not text', '{"blob":', (line) => line.replace(/"bytes":.*/, '"bytes":[1]}')],
    [
      'an attempt without a time',
      '{"attempt":',
      (line) => line.replace(/"submitted":\d+/, '"submitted":1.5'),
    ],
    [
      'an attempt that is null',
      '{"attempt":',
      (line) => line.replace(/"attempt":\{.*?\},"loc/, '"attempt":null,"loc'),
    ],
    [
      'a payload that is not JSON',
      '{"attempt":',
      (line) => line.replace(/"payload":.*/, '"payload":"{"}'),
    ],
    ['a line of an unknown kind', '{"row":', () => '{"else":1}'],
    [
      'a line that is too deep',
      '"collection":"lms"',
      (line) => line.replace(/\}\}$/, `},"deep":${DEEP}}}`),
    ],
  ])('with %s is rejected completely, and the emulator continues', async (_, wanted, change) => {
    const served = await start();
    const mine = await lived(served);
    const [, ...lines] = (await exported(served)).text.trimEnd().split('\n').toReversed();
    const whole = lines.toReversed();
    const changed = whole.map((line) => (line.includes(wanted) ? change(line) : line));
    expect(changed).not.toEqual(whole);
    const answer = await imported(served, exportOf(changed));
    expect([answer.status, answer.json().error.message]).toEqual([
      422,
      expect.stringContaining('nothing was changed'),
    ]);
    expect((await mine.get(mine.row('member'))).status).toBe(200);
    expect((await imported(served, exportOf(whole))).status).toBe(200);
    expect((await mine.get(mine.row('member'))).status).toBe(200);
  });

  test('with an endless first line is rejected without being stored', async () => {
    const served = await start();
    const answer = await imported(served, Buffer.alloc(5_000_000, '{"format":'));
    expect(answer.json().error.message).toContain('line 1: it is too long');
  });
});

describe('an export during calls of the service', () => {
  test('has the state of the moment at which it began', async () => {
    const from = await start(newFolder());
    const student = await lived(from);
    const before = (await student.get(student.row('member'))).text;
    const part = await begin(from);
    await student.put(student.row('member'), { changed: true });
    await student.put(student.row('member_location'), { fresh: true });
    await student.upload('member', 'large', 'changed');
    await student.call('DELETE', student.file('member', 'empty'));
    await student.grade({ score: 1 });
    const to = await start();
    expect((await imported(to, await part.rest())).status).toBe(200);
    const same = moved(student, from, to);
    expect((await same.get(same.row('member'))).text).toBe(before);
    expect((await same.get(same.row('member_location'))).text).toBe('{}');
    const { attempts } = await subjectOf(to).control('state');
    expect(attempts).toHaveLength(2);
    const { url } = (await same.get(same.file('member', 'large'))).json();
    expect((await send('GET', url)).bytes).toHaveLength(700_000);
    expect((await same.get(same.file('member', 'empty'))).status).toBe(200);
  });

  test('stops when the emulator is reset', async () => {
    const from = await start();
    await lived(from);
    const part = await begin(from);
    await subjectOf(from).control('reset', {});
    await expect(part.rest()).rejects.toThrow('replaced during the export');
  });
});

/** The first line of an export; the rest is made when it is asked for. */
async function begin(served: Served): Promise<{ rest: () => Promise<Buffer> }> {
  const { body } = await served.emulator.handle({
    method: 'GET',
    target: '/_emulator/export',
    headers: { authorization: 'Bearer control' },
    body: new Uint8Array(),
    origin: 'api',
  });
  const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const seen = [(await chunks.next()).value as Uint8Array];
  const rest = async (): Promise<Buffer> => {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      seen.push(next.value);
    }
    return Buffer.concat(seen);
  };
  return { rest };
}
