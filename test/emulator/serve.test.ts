import { connect } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Served } from '../../src/emulator/index.ts';
import { serveSeeded } from '../support/emulator.ts';
import type { Answered } from './documents.ts';
import { START, subjectOf, type Launch } from './subject.ts';
import { send } from './wire.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-serve-'));
let served: Served;
let student: Launch;
const sleeping: (() => void)[] = [];

beforeAll(async () => {
  served = await serveSeeded({
    data: join(folder, 'data'),
    controlToken: 'control',
    pid: process.pid,
    now: () => START,
    sleep: () =>
      new Promise((resolve) => {
        sleeping.push(resolve);
      }),
  });
  student = await subjectOf(served).launch();
});

afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Another connection that holds the write lock, once the emulator has stored what it still had to. */
async function lockedStore(): Promise<InstanceType<typeof DatabaseSync>> {
  const other = new DatabaseSync(join(folder, 'data', 'emulator.db'));
  for (;;) {
    try {
      other.exec('BEGIN IMMEDIATE');
      return other;
    } catch (error) {
      if (!(error as Error).message.includes('locked')) throw error;
      await setImmediate();
    }
  }
}

describe('an emulator on loopback', () => {
  const hostOf = (url: string): string => url.replace('http://', '');

  test('responds 403 to a foreign Host before anything else, on both origins', async () => {
    for (const url of [student.row('member'), `${served.blobUrl}/x`, `${served.url}/apps/me`]) {
      for (const host of ['lms.example', '127.0.0.1', 'localhost', '127.0.0.1:1']) {
        const { status } = await send('GET', url, { token: student.token, headers: { host } });
        expect([url, host, status]).toEqual([url, host, 403]);
      }
    }
    const crossed = { token: student.token, headers: { host: hostOf(served.blobUrl) } };
    expect((await send('GET', student.row('member'), crossed)).status).toBe(403);
  });

  test('accepts its own names in any case', async () => {
    const port = hostOf(served.url).split(':')[1];
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LocalHost:${port}`]) {
      const sent = { token: student.token, headers: { host } };
      expect((await send('GET', student.row('member'), sent)).status).toBe(200);
    }
  });

  test('responds 403 to a foreign Origin, and accepts its own', async () => {
    const withOrigin = (origin: string) =>
      send('GET', student.row('member'), { token: student.token, headers: { origin } });
    const own = `https://${hostOf(served.url)}`;
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1', own]) {
      expect([origin, (await withOrigin(origin)).status]).toEqual([origin, 403]);
    }
    expect((await withOrigin(served.url)).status).toBe(200);
    expect((await withOrigin(served.blobUrl)).status).toBe(200);
  });

  test('listens on 127.0.0.1 only', async () => {
    const port = Number(new URL(served.url).port);
    const error = await new Promise((resolve) => {
      connect(port, '127.0.0.2', () => resolve(undefined)).once('error', resolve);
    });
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('accepts only the control token for the control API', async () => {
    const asked = async (url: string, token: string) =>
      (await send('GET', `${url}/_emulator/state`, { token })).status;
    expect(await asked(served.url, 'x')).toBe(401);
    expect(await asked(served.url, student.token)).toBe(401);
    expect(await asked(served.url, 'control')).toBe(200);
    expect(await asked(served.blobUrl, 'control')).toBe(400);
  });
});

test('a slow LMS delays only its own responses, and a later attempt stays later', async () => {
  const { control } = subjectOf(served);
  await control('lms', { slow_ms: 5000 });
  const first = student.grade({ score: 0.1 });
  const second = student.grade({ score: 0.2 });
  while (sleeping.length < 2) await student.get(student.row('member'));
  expect((await control('state')).attempts).toEqual([]);
  sleeping[1]?.();
  const late = (await second).json();
  sleeping[0]?.();
  const early = (await first).json();
  const [earlier, later] = [early, late].toSorted((a, b) => a.score - b.score) as [
    Answered,
    Answered,
  ];
  expect(earlier.submitted < later.submitted).toBe(true);
  const { gradebook, attempts } = await control('state');
  expect(attempts).toHaveLength(2);
  expect(gradebook[0]?.payload.timestamp).toBe(later.submitted);
  await control('lms', { ok: true });
});

test('a store that cannot be written gives 503, changes nothing, and recovers', async () => {
  const url = student.row('member');
  await student.put(url, { a: 1 });
  const other = await lockedStore();
  const [put, grade] = await Promise.all([student.put(url, { a: 2 }), student.grade({ score: 1 })]);
  expect([put.status, grade.status]).toEqual([503, 503]);
  expect((await student.get(url)).text).toBe('{"a":1}');
  other.exec('ROLLBACK');
  other.close();
  expect((await student.put(url, { a: 3 })).status).toBe(204);
  expect((await student.get(url)).text).toBe('{"a":3}');
});

test('a store that cannot be read again after a failed write gives 503 for every request, serves nothing from memory, and recovers', async () => {
  const url = student.row('member');
  await student.put(url, { a: 1 });
  const other = await lockedStore();
  const tables = ['rows', 'attempts'];
  for (const table of tables) other.exec(`ALTER TABLE ${table} RENAME TO moved_${table}`);
  other.exec('COMMIT');
  const answers = await Promise.all([
    student.grade({ score: 1 }),
    student.put(url, { a: 2 }),
    student.grade({ score: 1 }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  const read = await student.get(url);
  expect([read.status, read.json().error.message]).toEqual([
    503,
    expect.stringContaining('the store could not be read'),
  ]);
  for (const table of tables) other.exec(`ALTER TABLE moved_${table} RENAME TO ${table}`);
  other.close();
  expect((await student.get(url)).text).toBe('{"a":1}');
  expect((await student.put(url, { a: 3 })).status).toBe(204);
});
