import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import type { Launch } from '../emulator/subject.ts';
import { type Connection, connectTo, formOf, requestBytes, send } from '../emulator/wire.ts';
import {
  type EmulatorProcess,
  startProcess,
  withoutProc,
  storedBlobs,
} from './emulator-process.ts';
import { hostileCases, IS_LONG, sampled, waitingFor } from './support.ts';

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
  'no request': async () => {},
  'keep-alive connections': async (_, student) => {
    for (let count = 0; count < 5; count++) await student.get(student.row('member'));
  },
  'a connection that says nothing': async ({ url }) => {
    const connection = connectTo(url);
    connection.write('GET / HT');
  },
  'a half-sent row': async (_, student) => {
    const { token } = student;
    const connection = await begun('PUT', student.row('member'), token, { 'content-length': '50' });
    connection.write('{"half":');
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
  'a half-sent import': async ({ url, token }) => {
    const headers = { 'content-length': '1000000' };
    const connection = await begun('POST', `${url}/_emulator/import`, token, headers);
    connection.write('{"format":"lectern emulator export","version":1,"exported":"x"}\n');
  },
  'a download that is not read': async (_, student) => {
    await student.upload('member', 'large', Buffer.alloc(10 * MEGABYTE));
    const { url } = (await student.get(student.file('member', 'large'))).json();
    const connection = connectTo(url);
    connection.write(requestBytes('GET', url));
    await connection.until((text) => text.length > 0);
    connection.stall();
  },
  'an export that is not read': async ({ url, token }, student) => {
    await student.upload('member', 'large', Buffer.alloc(10 * MEGABYTE));
    const connection = connectTo(url);
    connection.write(requestBytes('GET', `${url}/_emulator/export`, { token }));
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
  'requests that wait behind a slow LMS': async ({ control, url }, student) => {
    await control('lms', { slow_ms: 600_000 });
    const { token } = student;
    const connection = connectTo(url);
    const get = requestBytes('GET', student.row('member'), { token });
    connection.write(requestBytes('POST', student.submit, { token, body: '{"score":1}' }));
    connection.write(get.repeat(20_000));
    await begun('GET', student.row('member'), token);
  },
};

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
for (const [index, signal] of SIGNALS.entries()) {
  hostile(
    {
      tried: `${signal} with ${Object.keys(SITUATIONS).length} kinds of requests under way, each alone and all at once`,
      times: { short: 1, long: 20 },
    },
    async () => {
      const all: Situation = async (emulator, student) => {
        for (const each of Object.values(SITUATIONS)) {
          await emulator.control('lms', { ok: true });
          await each(emulator, student);
        }
      };
      const alone = sampled(Object.entries(SITUATIONS), 24, index);
      for (const [name, situation] of [...alone, ['all of it', all] as const]) {
        const emulator = await startProcess();
        await waitingFor(name, situation(emulator, await emulator.launch()));
        const { end, ms } = await emulator.stop(signal);
        expect([name, end, emulator.stderr()]).toEqual([name, 0, '']);
        // It waits for nothing: a connection that is kept alive lasts 75 s, an answer that is held 600 s.
        expect([name, ms < 30_000 || ms]).toEqual([name, true]);
        expect(readdirSync(join(dirname(emulator.data), 'emulators'))).toEqual([]);
        expect(existsSync(join(emulator.data, 'running-emulator.json'))).toBe(false);
        expect([name, storedBlobs(emulator).loose]).toEqual([name, 0]);
      }
    },
  );
}

const COURSE = 'astronomy-2026';
const CONNECTIONS = IS_LONG ? 64 : 16;

hostile(
  {
    tried: `${CONNECTIONS} connections with mixed requests (rows, files, grades, rejected and broken ones), in rounds`,
    size: { short: 3, long: 60 },
    limitMs: 180_000,
    cannotRun: withoutProc,
  },
  async ({ size, signal }) => {
    const emulator = await startProcess({ args: ['--seed', 'example'] });
    const { courses } = await emulator.control('state');
    expect(courses.map(({ id }) => id)).toContain(COURSE);
    const used: number[] = [];
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, index) => {
        const launch = await emulator.launch({ member: `${COURSE}-student-${index + 1}` });
        for (let round = 0; round < size && !signal.aborted; round++) {
          await mixedWork(launch, round);
          used.push(emulator.memory().now);
        }
      }),
    );
    const { attempts, rows, files } = await emulator.control('state');
    expect(attempts).toHaveLength(CONNECTIONS * size);
    expect([rows.length, files.length]).toEqual([2 * CONNECTIONS, CONNECTIONS]);
    // And the code of the tool of the example.
    expect(storedBlobs(emulator)).toEqual({ all: CONNECTIONS + 1, loose: 0 });
    const [middle, last] = [
      used.slice(used.length / 3, (used.length * 2) / 3),
      used.slice((used.length * 2) / 3),
    ];
    expect(median(last) - median(middle)).toBeLessThan(Math.max(60, median(middle) * 0.25));
    expect(await emulator.stop('SIGTERM')).toMatchObject({ end: 0 });
    expect(emulator.stderr()).toBe('');
  },
);

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** One round of everything, each answer as it should be; one attempt is recorded. */
async function mixedWork(launch: Launch, round: number): Promise<void> {
  const { token } = launch;
  const own = launch.row('member');
  const place = launch.row('member_location');
  const text = 'x'.repeat(100 + ((round * 977) % 30_000));
  expect((await launch.put(own, { round, text })).status).toBe(204);
  expect((await launch.patch(own, [{ op: 'replace', path: '/round', value: -1 }])).status).toBe(
    204,
  );
  expect((await launch.get(own)).json<{ round: number }>().round).toBe(-1);
  expect((await launch.put(place, { round })).status).toBe(204);
  expect((await launch.put(launch.row('context'), {})).status).toBe(403);
  expect((await launch.patch(own, [{ op: 'replace', path: '/none', value: 1 }])).status).toBe(422);
  expect((await launch.call('PUT', own, { body: '{' })).status).toBe(422);
  expect((await launch.call('GET', own, { token: 'wrong' })).status).toBe(401);
  expect((await launch.grade({ score: 2 })).status).toBe(422);
  expect((await launch.grade({ score: (round % 100) / 100 })).status).toBe(200);
  const bytes = Buffer.alloc(1000 + ((round * 7919) % 200_000), `${round} `);
  expect((await launch.upload('member', 'file', bytes)).status).toBe(204);
  const { url } = (await launch.get(launch.file('member', 'file'))).json();
  expect((await send('GET', url)).bytes.equals(bytes)).toBe(true);
  const broken = connectTo(own);
  broken.write(requestBytes('PUT', own, { token, headers: { 'content-length': '9' }, body: '{' }));
  const unread = connectTo(url);
  unread.write(requestBytes('GET', url));
  await unread.until((seen) => seen.length > 0);
  for (const each of [broken, unread]) each.destroy();
}
