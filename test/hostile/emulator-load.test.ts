import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Launch } from '../emulator/subject.ts';
import { type Connection, connectTo, formOf, requestBytes } from '../emulator/wire.ts';
import { type EmulatorProcess, startProcess, looseBlobs } from './emulator-process.ts';
import { hostileCases, waitingFor } from './support.ts';

const hostile = hostileCases('Emulator');

const MEGABYTE = 1024 * 1024;

/** Brings an emulator into a state in which something waits. */
type Situation = (emulator: EmulatorProcess, student: Launch) => Promise<void>;

/** Sends a request up to its body, and resolves when the emulator has begun with it. */
async function begun(
  method: string,
  url: string,
  token: string | undefined,
  headers: Record<string, string> = {},
): Promise<Connection> {
  const connection = connectTo(url);
  connection.write(
    requestBytes(method, url, { token, headers: { ...headers, expect: '100-continue' } }),
  );
  await waitingFor(
    'the request to be begun',
    connection.until((text) => text.includes('100 Continue')),
  );
  return connection;
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a connection that says nothing': async ({ url }) => {
    const connection = connectTo(url);
    connection.write('GET / HT');
  },
  'a half-sent file': async (_, student) => {
    const json = { size: 5_000_000 };
    const declared = await student.call('PUT', student.file('member', 'half'), { json });
    const { url, fields } = declared.json();
    const { headers, body } = formOf(fields, Buffer.alloc(5_000_000));
    const length = { 'content-length': String(body.length) };
    const connection = await begun('POST', url, undefined, { ...headers, ...length });
    await connection.stream([body.subarray(0, 3_000_000)]);
  },
  'a download that is not read': async (_, student) => {
    await student.upload('member', 'large', Buffer.alloc(10 * MEGABYTE));
    const { url } = (await student.get(student.file('member', 'large'))).json();
    const connection = connectTo(url);
    connection.write(requestBytes('GET', url));
    await connection.until((text) => text.length > 0);
    connection.stall();
  },
  'traffic that is followed': async ({ url, token }) => {
    const connection = connectTo(url);
    connection.write(requestBytes('GET', `${url}/_emulator/requests/follow`, { token }));
    await connection.until((text) => text.includes('200 OK'));
  },
  'a slow LMS': async ({ control }, student) => {
    await control('lms', { slow_ms: 600_000 });
    const headers = { 'content-length': '11' };
    (await begun('POST', student.submit, student.token, headers)).write('{"score":1}');
  },
  'a delayed answer': async ({ control }, student) => {
    await control('fault', { path: '/row', delay_ms: 600_000 });
    await begun('GET', student.row('member'), student.token);
  },
};

hostile(
  {
    tried: `a signal with ${Object.keys(SITUATIONS).length} kinds of requests under way at once`,
    times: { short: 1, long: 20 },
  },
  async ({ repetition }) => {
    const emulator = await startProcess();
    const student = await emulator.launch();
    for (const [name, situation] of Object.entries(SITUATIONS)) {
      await emulator.control('lms', { ok: true });
      await waitingFor(name, situation(emulator, student));
    }
    const { end, ms } = await emulator.stop(repetition % 2 === 0 ? 'SIGTERM' : 'SIGINT');
    expect([end, emulator.stderr()]).toEqual([0, '']);
    // It waits for nothing: a connection that is kept alive lasts 75 s, an answer that is held 600 s.
    expect(ms).toBeLessThan(30_000);
    expect(readdirSync(join(dirname(emulator.data), 'emulators'))).toEqual([]);
    expect(existsSync(join(emulator.data, 'running-emulator.json'))).toBe(false);
    expect(looseBlobs(emulator)).toBe(0);
  },
);
