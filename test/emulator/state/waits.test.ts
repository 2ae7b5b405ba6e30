/** Everything in the emulator that waits, and what ends the wait besides what it waits for. */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { createEmulator, type Served } from '../../../src/emulator/index.ts';
import { serveSeeded } from '../../support/emulator.ts';
import { seededBytes } from '../../support/seeded.ts';
import { controlOf, subjectOf } from '../subject.ts';
import { connectTo, requestBytes, statusesIn } from '../wire.ts';

/** Sleeps that end on request, or with their signal, which is recorded. */
class Sleeps {
  readonly pending: { readonly wake: () => void; readonly signal: AbortSignal }[] = [];

  readonly sleep = (_ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      this.pending.push({ wake: resolve, signal });
    });
}

const open: Served[] = [];
afterEach(async () => {
  for (const served of open.splice(0)) await served.close();
});

async function start(data?: string): Promise<{ served: Served; sleeps: Sleeps }> {
  const sleeps = new Sleeps();
  const { sleep } = sleeps;
  const served = await serveSeeded({
    controlToken: 'control',
    pid: 1,
    sleep,
    ...(data && { data }),
  });
  open.push(served);
  return { served, sleeps };
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-waits-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('a slow LMS', () => {
  test('stops waiting at a reset: its attempt gets 503 and is not recorded in the new state', async () => {
    const { served, sleeps } = await start();
    const { control, launch } = subjectOf(served);
    const student = await launch();
    await control('lms', { slow_ms: 600_000 });
    const pending = student.grade({ score: 1 });
    await expect.poll(() => sleeps.pending.length).toBe(1);
    await control('reset', {});
    const answer = await pending;
    expect([answer.status, answer.json().error.message]).toEqual([
      503,
      expect.stringContaining('reset'),
    ]);
    sleeps.pending[0]?.wake();
    await subjectOf(served).launch();
    expect((await control('state')).attempts).toEqual([]);
    expect(sleeps.pending[0]?.signal.aborted).toBe(true);
  });
});

describe('a delayed response', () => {
  test('is dropped when its caller disconnects', async () => {
    const { served, sleeps } = await start();
    const { control, launch } = subjectOf(served);
    const student = await launch();
    await control('fault', { path: '/row', delay_ms: 600_000 });
    const connection = connectTo(served.url);
    connection.write(requestBytes('GET', student.row('member'), { token: student.token }));
    await expect.poll(() => sleeps.pending.length).toBe(1);
    connection.destroy();
    await expect.poll(() => sleeps.pending[0]?.signal.aborted).toBe(true);
  });

  test('is sent at a reset', async () => {
    const { served, sleeps } = await start();
    const { control, launch } = subjectOf(served);
    const student = await launch();
    await control('fault', { path: '/row', delay_ms: 600_000 });
    const pending = student.get(student.row('member'));
    await expect.poll(() => sleeps.pending.length).toBe(1);
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
  const data = join(newFolder(), 'data');
  const { served } = await start(data);
  const student = await subjectOf(served).launch();
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
  const { served } = await start();
  const student = await subjectOf(served).launch();
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
  expect((await controlOf(served.url, 'control')('state')).rows).toEqual([]);
});
