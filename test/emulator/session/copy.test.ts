import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/lectern.ts';
import { type Emulated, emulated, launchOf, type Launch } from '../subject.ts';
import { type Answer, hangUp, send } from '../wire.ts';

const exported = async ({ operate }: Emulated): Promise<Buffer> =>
  (await operate('GET', 'export')).bytes;

const imported = ({ operate }: Emulated, body: Uint8Array): Promise<Answer> =>
  operate('POST', 'import', { body });

/** The same launch with the addresses of another emulator. */
function moved({ claims }: Launch, from: Emulated, to: Emulated): Launch {
  return launchOf(JSON.parse(JSON.stringify(claims).replaceAll(from.served.url, to.served.url)));
}

const LARGE = Buffer.alloc(700_000, 'lectern ');

/** A world with something of everything in it. */
async function lived({ control, launch }: Emulated): Promise<Launch> {
  const student = await launch({ member: 'member-111' });
  await student.call('PUT', student.row('member'), { body: '{ "exact" :  1.10, "ü": "\\u00fc" }' });
  await student.upload('member', 'empty', '');
  await student.upload('member', 'large', LARGE);
  await student.grade({ score: 0.25, comment: 'one' });
  await student.grade({ score: 0.5, comment: 'two' });
  await control('lms', { refuse: { status: 500 }, location: 'essay-2' });
  await control('clock', { advance_seconds: 3600 });
  return student;
}

/** An export after a change by SQL. */
function changed(bytes: Buffer, sql: string): Buffer {
  const file = join(temporaryFolder(), 'changed.db');
  writeFileSync(file, bytes);
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec(sql);
  database.close();
  return readFileSync(file);
}

describe('an export that is imported', () => {
  test('restores everything byte for byte, and replaces the earlier state', async () => {
    const from = await emulated({ data: temporaryFolder() });
    const student = await lived(from);
    const to = await emulated({ data: temporaryFolder() });
    const other = await lived(to);
    await other.upload('member_location', 'gone', 'gone');
    expect((await imported(to, await exported(from))).status).toBe(200);

    const [before, after] = [await from.control('state'), await to.control('state')];
    expect({ ...after, now: 0, summary: 0 }).toEqual({ ...before, now: 0, summary: 0 });
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeLessThan(60_000);
    expect((await other.get(other.row('member'))).status).toBe(401);
    const same = moved(student, from, to);
    expect((await same.get(same.row('member'))).bytes).toEqual(
      (await student.get(student.row('member'))).bytes,
    );
    for (const [key, bytes] of [
      ['empty', Buffer.alloc(0)],
      ['large', LARGE],
    ] as const) {
      const { url } = (await same.get(same.file('member', key))).json();
      expect((await send('GET', url)).bytes.equals(bytes)).toBe(true);
    }
    const again = (await same.grade({ score: 1 })).json();
    expect(again.submitted > String(after.attempts[1]?.submitted)).toBe(true);
  });

  test('survives a restart, and its addresses stay valid', async () => {
    const from = await emulated();
    await lived(from);
    const account = await from.launch({ account: true });
    const data = temporaryFolder();
    const to = await emulated({ data });
    await imported(to, await exported(from));
    await to.served.close();
    hangUp();
    const again = await emulated({ data });
    expect(again.served.url).toBe(to.served.url);
    const same = moved(account, from, again);
    expect((await same.grade({ score: 1 })).json().status).toBe('success');
  });

  test('is rejected before its end if it is no export', async () => {
    const { emulator } = (await emulated()).served;
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

  test('that is cut or has a changed byte of its tables is rejected, and changes nothing', async () => {
    const from = await emulated();
    await lived(from);
    const bytes = await exported(from);
    const to = await emulated({ data: temporaryFolder() });
    const mine = await lived(to);
    const state = await to.control('state');
    const cuts = [0, 1, 100, 4096, bytes.length - 4096, bytes.length - 1];
    for (const cut of cuts) {
      const answer = await imported(to, bytes.subarray(0, cut));
      expect([cut, answer.status]).toEqual([cut, 422]);
      expect(answer.json().error.message).toMatch(/not a valid export: .*; nothing was changed/);
    }
    const damaged = Buffer.from(bytes).fill(0xff, 4096, 4200);
    expect((await imported(to, damaged)).status).toBe(422);
    const left = await to.control('state');
    expect({ ...left, now: 0, summary: 0 }).toEqual({ ...state, now: 0, summary: 0 });
    expect((await mine.get(mine.row('member'))).status).toBe(200);
  });
});

/** Changes to an export, and why it is rejected then. */
const CHANGES: readonly (readonly [sql: string, why: string])[] = [
  ['PRAGMA user_version = 99', 'the export has version 99'],
  ['PRAGMA user_version = 0', 'the export has version 0'],
  ['PRAGMA application_id = 5', 'it is not the database of an emulator'],
  [
    'CREATE TRIGGER t AFTER INSERT ON rows BEGIN DELETE FROM rows; END',
    'its tables are others: trigger t',
  ],
  ['ALTER TABLE tools ADD COLUMN x', 'its tables are others: table tools'],
  ['DROP TABLE uploads', 'its tables are others: table uploads'],
  ["DELETE FROM courses WHERE id = 'biology-101'", 'is of no courses'],
  ['DELETE FROM blobs WHERE piece = 1', 'large: the bytes are missing'],
  ["UPDATE files SET size = 5 WHERE key = 'empty'", 'empty: the bytes'],
  ["UPDATE clock SET 'offset' = 9e99", 'clock: offset must be'],
  ["UPDATE files SET key = '../' || key", 'files: key must be'],
  ["UPDATE rows SET key = 'context/x/y' WHERE key = 'context/polls/biology-101'", 'context/x/y'],
  [
    "UPDATE row_versions SET body = '[]'; UPDATE rows SET size = 2 WHERE version > 0",
    'is not a JSON object',
  ],
  ["UPDATE attempts SET record = 'null'", 'attempts: '],
  ["UPDATE attempts SET payload = '{'", 'the score of an attempt'],
  ["UPDATE members SET groups = '['", 'JSON'],
  ["INSERT INTO settings VALUES ('seed', '5')", 'seed'],
];

test('an export that another program changed is rejected completely, and the emulator continues', async () => {
  const served = await emulated();
  const mine = await lived(served);
  const whole = await exported(served);
  for (const [sql, why] of CHANGES) {
    const { status, json } = await imported(served, changed(whole, sql));
    expect([sql, status, json().error.message]).toEqual([sql, 422, expect.stringContaining(why)]);
    expect([sql, (await mine.get(mine.row('member'))).status]).toEqual([sql, 200]);
  }
  const words = whole.toString('latin1').replaceAll('-- json', '-- JSON');
  const reworded = Buffer.from(words, 'latin1');
  expect(reworded.equals(whole)).toBe(false);
  for (const each of [whole, reworded]) {
    expect((await imported(served, each)).status).toBe(200);
    expect((await mine.get(mine.row('member'))).status).toBe(200);
  }
});

describe('an export of version 1, as lines of JSON', () => {
  const packed = readFileSync(new URL('../store/older/export-1.ndjson.gz', import.meta.url));
  const whole = gunzipSync(packed).toString();
  const lines = whole.trimEnd().split('\n');

  /** An export of these lines, its end as an earlier version would write it. */
  function sealed(given: readonly string[]): string {
    const text = given.map((line) => `${line}\n`).join('');
    const sha256 = createHash('sha256').update(text).digest('hex');
    return `${text}${JSON.stringify({ end: true, lines: given.length, sha256 })}\n`;
  }

  test('is imported with all that it has', async () => {
    const to = await emulated();
    expect((await imported(to, Buffer.from(whole))).status).toBe(200);
    const { rows, files, attempts, gradebook, provisioned } = await to.control('state');
    expect(rows).toEqual([{ row: 'member/essay/member-111', bytes: 35 }]);
    expect(files.map(({ key, size }) => [key, size])).toEqual([
      ['empty', 0],
      ['large', 300_000],
    ]);
    expect(attempts.map(({ data }) => data.comment)).toEqual(['one', 'two']);
    expect(gradebook).toMatchObject([{ payload: { scoreGiven: 50 } }]);
    expect(provisioned.length).toBeGreaterThan(5);
    expect((await to.control('clock')).offset_ms).toBe(3_600_000);
    const launch = await to.launch({ member: 'member-111' });
    const { url } = (await launch.get(launch.file('member', 'large'))).json();
    expect((await send('GET', url)).bytes.equals(Buffer.alloc(300_000, 'lectern '))).toBe(true);
  });

  const REJECTED: readonly (readonly [name: string, text: string, why: string])[] = [
    ['of nothing', '', 'its end is missing'],
    ['with an endless first line', '{"format":'.repeat(1000), 'a line is too long'],
    ['of another kind', '{}\n', 'line 1 is not a line of an export'],
    ['without its end', lines.slice(0, -1).join('\n') + '\n', 'its end is missing'],
    ['cut in a line', whole.slice(0, -10), 'its last line is incomplete'],
    ['with more after its end', `${whole}${lines[1]}\n`, 'is not in its place'],
    ['with another text', whole.replace('Amina', 'Amino'), 'its SHA-256 does not match'],
    [
      'without bytes',
      sealed(lines.filter((line) => !line.startsWith('{"blob"')).slice(0, -1)),
      'the bytes are missing',
    ],
  ];

  test('is rejected if it is damaged, or no export', async () => {
    const served = await emulated();
    for (const [name, text, why] of REJECTED) {
      const { status, json } = await imported(served, Buffer.from(text));
      expect([name, status, json().error.message]).toEqual([
        name,
        422,
        expect.stringContaining(why),
      ]);
    }
  });
});

test('an export during calls of the service has the state of the moment at which it began', async () => {
  const from = await emulated({ data: temporaryFolder() });
  const student = await lived(from);
  const before = (await student.get(student.row('member'))).text;
  const { body } = await from.served.emulator.handle({
    method: 'GET',
    target: '/_emulator/export',
    headers: { authorization: 'Bearer control' },
    body: new Uint8Array(),
    origin: 'api',
  });
  await student.put(student.row('member'), { changed: true });
  await student.upload('member', 'large', 'changed');
  await student.call('DELETE', student.file('member', 'empty'));
  await from.control('reset', {});
  const chunks: Uint8Array[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  const to = await emulated();
  expect((await imported(to, Buffer.concat(chunks))).status).toBe(200);
  const same = moved(student, from, to);
  expect((await same.get(same.row('member'))).text).toBe(before);
  const { url } = (await same.get(same.file('member', 'large'))).json();
  expect((await send('GET', url)).bytes).toHaveLength(700_000);
  expect((await same.get(same.file('member', 'empty'))).status).toBe(200);
});
