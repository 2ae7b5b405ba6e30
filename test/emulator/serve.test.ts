import { connect } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/lectern.ts';
import type { Answered } from './documents.ts';
import { emulated, emulatedOnce } from './subject.ts';
import { send } from './wire.ts';

const own = emulatedOnce();

/** An emulator on a data folder, and a student. */
async function stored() {
  const data = temporaryFolder();
  const { launch } = await emulated({ data });
  return { data, student: await launch() };
}

/** Another connection that holds the write lock, once the emulator has stored what it still had to. */
async function lockedStore(data: string): Promise<InstanceType<typeof DatabaseSync>> {
  const other = new DatabaseSync(join(data, 'emulator.db'));
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
  test('listens on 127.0.0.1 only', async () => {
    const port = Number(new URL(own.served.url).port);
    const error = await new Promise((resolve) => {
      connect(port, '127.0.0.2', () => resolve(undefined)).once('error', resolve);
    });
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('accepts only the control token for the control API', async () => {
    const asked = async (url: string, token: string) =>
      (await send('GET', `${url}/_emulator/state`, { token })).status;
    expect(await asked(own.served.url, 'x')).toBe(401);
    expect(await asked(own.served.url, own.student.token)).toBe(401);
    expect(await asked(own.served.url, 'control')).toBe(200);
    expect(await asked(own.served.blobUrl, 'control')).toBe(400);
  });
});

test('a slow LMS delays only its own responses, and a later attempt stays later', async () => {
  const sleeping: (() => void)[] = [];
  const { control, launch } = await emulated({
    sleep: () => new Promise((resolve) => void sleeping.push(resolve)),
  });
  const student = await launch();
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
});

test('a store that cannot be written gives 503, changes nothing, and recovers', async () => {
  const { data, student } = await stored();
  const url = student.row('member');
  await student.put(url, { a: 1 });
  const other = await lockedStore(data);
  const [put, grade] = await Promise.all([student.put(url, { a: 2 }), student.grade({ score: 1 })]);
  expect([put.status, grade.status]).toEqual([503, 503]);
  expect((await student.get(url)).text).toBe('{"a":1}');
  other.exec('ROLLBACK');
  other.close();
  expect((await student.put(url, { a: 3 })).status).toBe(204);
  expect((await student.get(url)).text).toBe('{"a":3}');
});

test('a store that cannot be read again after a failed write gives 503 for every request, serves nothing from memory, and recovers', async () => {
  const { data, student } = await stored();
  const url = student.row('member');
  await student.put(url, { a: 1 });
  const other = await lockedStore(data);
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
