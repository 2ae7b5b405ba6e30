/** Everything in the emulator that waits, and what ends the wait besides what it waits for. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.ts';
import { temporaryFolder } from '../../support/lectern.ts';
import { seededBytes } from '../../support/seeded.ts';
import { emulated } from '../subject.ts';
import { connectTo, requestBytes, statusesIn } from '../wire.ts';

/** An emulator and a student, with sleeps that end on request or with their signal, which is recorded. */
async function sleeping() {
  const sleeps: { readonly wake: () => void; readonly signal: AbortSignal }[] = [];
  const emulator = await emulated({
    sleep: (_ms, signal) => new Promise((wake) => void sleeps.push({ wake, signal })),
  });
  return { ...emulator, sleeps, student: await emulator.launch() };
}

test('a slow LMS stops waiting at a reset: its attempt gets 503 and is not recorded in the new state', async () => {
  const { control, launch, sleeps, student } = await sleeping();
  await control('lms', { slow_ms: 600_000 });
  const pending = student.grade({ score: 1 });
  await expect.poll(() => sleeps.length).toBe(1);
  await control('reset', {});
  const answer = await pending;
  expect([answer.status, answer.json().error.message]).toEqual([
    503,
    expect.stringContaining('reset'),
  ]);
  sleeps[0]?.wake();
  await launch();
  expect((await control('state')).attempts).toEqual([]);
  expect(sleeps[0]?.signal.aborted).toBe(true);
});

describe('a delayed response', () => {
  test('is dropped when its caller disconnects', async () => {
    const { served, control, sleeps, student } = await sleeping();
    await control('fault', { path: '/row', delay_ms: 600_000 });
    const connection = connectTo(served.url);
    connection.write(requestBytes('GET', student.row('member'), { token: student.token }));
    await expect.poll(() => sleeps.length).toBe(1);
    connection.destroy();
    await expect.poll(() => sleeps[0]?.signal.aborted).toBe(true);
  });

  test('is sent at a reset', async () => {
    const { control, sleeps, student } = await sleeping();
    await control('fault', { path: '/row', delay_ms: 600_000 });
    const pending = student.get(student.row('member'));
    await expect.poll(() => sleeps.length).toBe(1);
    await control('reset', {});
    expect((await pending).status).toBe(200);
  });
});

test('the stream of the traffic is closed when its reader disconnects', async () => {
  const emulator = createEmulator({ random: seededBytes(), controlToken: 'control' });
  const headers = { authorization: 'Bearer control' };
  const url = 'http://service.test/_emulator/requests/follow';
  const { body } = await emulator.fetch(new Request(url, { headers }));
  const reader = body?.getReader();
  const read = reader?.read();
  await reader?.cancel();
  expect(await read).toEqual({ done: true, value: undefined });
  emulator.close();
});

test('a removed data folder causes an error, and nothing is acknowledged before it is stored', async () => {
  const data = join(temporaryFolder(), 'data');
  const student = await (await emulated({ data })).launch();
  const url = student.row('member');
  expect((await student.put(url, { a: 1 })).status).toBe(204);
  renameSync(data, `${data}-elsewhere`);
  const refused = await student.put(url, { a: 2 });
  expect([refused.status, refused.json().error.message]).toEqual([
    503,
    expect.stringContaining('was removed or replaced; nothing took effect'),
  ]);
  expect((await student.get(url)).text).toBe('{"a":1}');
  const upload = await student.upload('member', 'a.txt', 'hello');
  expect(upload.status).toBe(503);
  renameSync(`${data}-elsewhere`, data);
  expect((await student.put(url, { a: 3 })).status).toBe(204);
});

test('a body that is too large is rejected before it is complete, and the connection stays usable', async () => {
  const { served, control, launch } = await emulated();
  const student = await launch();
  const { token } = student;
  const megabyte = 'x'.repeat(1024 * 1024);
  for (const headers of [
    { 'content-length': `${100 * 1024 * 1024}` },
    { 'transfer-encoding': 'chunked' },
  ]) {
    const isChunked = 'transfer-encoding' in headers;
    const piece = isChunked ? `100000\r\n${megabyte}\r\n` : megabyte;
    const connection = connectTo(served.url);
    connection.write(requestBytes('PUT', student.row('member'), { token, headers }));
    for (let count = 0; count < 70; count++) connection.write(piece);
    expect(statusesIn(await connection.until((text) => text.includes('HTTP/1.1')))).toEqual([413]);
    for (let count = 70; count < 100; count++) connection.write(piece);
    if (isChunked) connection.write('0\r\n\r\n');
    connection.write(requestBytes('GET', student.row('member'), { token }));
    const text = await connection.until((seen) => statusesIn(seen).length === 2);
    expect(statusesIn(text)).toEqual([413, 200]);
    connection.destroy();
  }
  expect((await control('state')).rows).toEqual([]);
});
