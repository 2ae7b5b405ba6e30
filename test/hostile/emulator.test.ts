import { expect } from 'vitest';
import type { Launch } from '../emulator/subject.ts';
import { connectTo, requestBytes, send, statusesIn } from '../emulator/wire.ts';
import { type EmulatorProcess, startProcess, withoutProc } from './emulator-process.ts';
import { hostileCases, waitingFor } from './support.ts';

const hostile = hostileCases('Emulator');

const MEGABYTE = 1024 * 1024;

/** Does everything that a tool does, and finds what it did. */
async function serves(launch: Launch, mark: string): Promise<void> {
  const row = launch.row('member');
  expect((await launch.put(row, { mark })).status).toBe(204);
  expect((await launch.get(row)).text).toBe(JSON.stringify({ mark }));
  expect((await launch.grade({ score: 0.5, comment: mark })).status).toBe(200);
  expect((await launch.upload('member', 'mark', mark)).status).toBe(204);
  const { url } = (await launch.get(launch.file('member', 'mark'))).json();
  expect((await send('GET', url)).text).toBe(mark);
}

/** Bodies without a sane end, each with the status that refuses it. */
type Flood = (emulator: EmulatorProcess, student: Launch, bytes: number) => Promise<number[]>;

const FLOODS: Readonly<Record<string, Flood>> = {
  'a row with its length': (_, student, bytes) =>
    flood('PUT', student.row('member'), student.token, { bytes }),
  'a row in chunks': (_, student, bytes) =>
    flood('PUT', student.row('member'), student.token, { bytes, chunked: true }),
  'a grade': (_, student, bytes) => flood('POST', student.submit, student.token, { bytes }),
  'a body of the control side': (emulator, _, bytes) =>
    flood('POST', `${emulator.url}/_emulator/lms`, 'wrong', { bytes }),
  'a request without a token': (_, student, bytes) =>
    flood('PUT', student.row('member'), 'wrong', { bytes }),
};

async function flood(
  method: string,
  url: string,
  token: string,
  { bytes, chunked = false }: { bytes: number; chunked?: boolean },
): Promise<number[]> {
  const connection = connectTo(url);
  const headers: Record<string, string> = chunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(bytes) };
  connection.write(requestBytes(method, url, { token, headers }));
  await connection.stream(pieces(bytes, chunked));
  if (chunked) connection.write('0\r\n\r\n');
  const text = await waitingFor(
    'an answer',
    connection.until((seen) => seen.includes('\r\n\r\n')),
  );
  connection.destroy();
  return statusesIn(text);
}

function* pieces(bytes: number, chunked: boolean): Generator<string> {
  const piece = '{"x":1} '.repeat(MEGABYTE / 8);
  for (let sent = 0; sent < bytes; sent += MEGABYTE) {
    yield chunked ? `${MEGABYTE.toString(16)}\r\n${piece}\r\n` : piece;
  }
}

hostile(
  {
    tried: `bodies of many megabytes: ${Object.keys(FLOODS).join(', ')}`,
    size: { short: 70, long: 300 },
    cannotRun: withoutProc,
  },
  async ({ size }) => {
    const emulator = await startProcess();
    const student = await emulator.launch();
    await serves(student, 'before');
    const before = emulator.memory().now;
    for (const [name, sendAll] of Object.entries(FLOODS)) {
      const statuses = await sendAll(emulator, student, size * MEGABYTE);
      expect([name, statuses]).toEqual([name, [413]]);
      await serves(student, name);
    }
    // Up to its bound a body is kept, with what the collector has not taken yet.
    expect(emulator.memory().most - before).toBeLessThan(220);
  },
);
