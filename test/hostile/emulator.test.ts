import { expect } from 'vitest';
import type { Launch } from '../emulator/subject.ts';
import { connectTo, formOf, requestBytes, send, statusesIn } from '../emulator/wire.ts';
import {
  type EmulatorProcess,
  startProcess,
  withoutProc,
  storedBlobs,
} from './emulator-process.ts';
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

hostile(
  {
    tried: 'pipelined PUTs, PATCHes and GETs on 16 connections, each with its own row',
    size: { short: 60, long: 20_000 },
    limitMs: 300_000,
  },
  async ({ size }) => {
    const emulator = await startProcess();
    const launches = await Promise.all(
      ['member-111', 'member-112', 'member-113', 'member-114'].map((member) =>
        emulator.launch({ member }),
      ),
    );
    await Promise.all(
      Array.from({ length: 16 }, async (_, index) => {
        const { claims, token } = launches[index % launches.length] as Launch;
        const kind = (['member', 'member_location'] as const)[Math.floor(index / 4) % 2];
        // Two connections share a row: each counts under a key of its own.
        const key = `c${index}`;
        const url = claims.storage[kind as 'member'];
        const connection = connectTo(emulator.url);
        const rounds = function* (): Generator<string> {
          for (let n = 1; n <= size; n++) {
            const body = JSON.stringify({ patch: [{ op: 'add', path: `/${key}`, value: n }] });
            yield requestBytes('PATCH', url, { token, body }) + requestBytes('GET', url, { token });
          }
        };
        const [text] = await Promise.all([
          waitingFor(
            'the last answer',
            connection.until((seen) => seen.includes(`"${key}":${size}`)),
          ),
          connection.stream(rounds()),
        ]);
        const read = [...text.matchAll(new RegExp(`"${key}":(\\d+)`, 'g'))].map(([, n]) =>
          Number(n),
        );
        expect(read).toEqual(Array.from({ length: size }, (__, n) => n + 1));
        connection.destroy();
      }),
    );
    await serves(launches[0] as Launch, 'after');
  },
);

hostile(
  { tried: 'connections that send nothing, or half a head', size: { short: 150, long: 5000 } },
  async ({ size }) => {
    const emulator = await startProcess();
    const student = await emulator.launch();
    const connections = Array.from({ length: size }, (_, index) => {
      const connection = connectTo(index % 3 === 0 ? emulator.blobUrl : emulator.url);
      if (index % 2 === 0) connection.write('PUT /data/v1 HTTP/1.1\r\nhost: 127.0.0.1\r\nx-half: ');
      return connection;
    });
    await serves(student, 'beside them');
    for (const connection of connections) connection.destroy();
    await serves(student, 'after them');
    expect(await emulator.stop('SIGTERM')).toMatchObject({ end: 0 });
  },
);

hostile(
  {
    tried: '100 bodies and forms of one byte a second, and SIGTERM during them',
    times: { short: 1, long: 10 },
  },
  async () => {
    const emulator = await startProcess();
    const student = await emulator.launch();
    const slow = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const isForm = index % 2 === 0;
        const connection = connectTo(isForm ? emulator.blobUrl : emulator.url);
        const whole = isForm
          ? await formBytes(student, `slow-${index}`, 'x'.repeat(1000))
          : requestBytes('PUT', student.row('member'), {
              token: student.token,
              body: JSON.stringify({ slow: 'x'.repeat(1000) }),
            });
        // All but the last bytes at once, those one by one: minutes more than the case takes.
        connection.write(whole.slice(0, -600));
        let at = whole.length - 600;
        const timer = setInterval(() => connection.write(whole.charAt(at++)), 1000);
        void connection.ended.then(() => clearInterval(timer));
        return connection;
      }),
    );
    await serves(student, 'beside them');
    await new Promise((resolve) => void setTimeout(resolve, 2500));
    await serves(student, 'and still');
    const { end } = await emulator.stop('SIGTERM');
    expect(end).toBe(0);
    for (const connection of slow) expect(statusesIn(await connection.ended)).toEqual([]);
    expect(storedBlobs(emulator)).toEqual({ all: 1, loose: 0 });
    const again = await startProcess({ data: emulator.data });
    expect((await student.get(student.row('member'))).text).toBe('{"mark":"and still"}');
    await serves(student, 'after a restart');
    expect(again.url).toBe(emulator.url);
  },
);

async function formBytes(launch: Launch, key: string, bytes: string): Promise<string> {
  const json = { size: Buffer.byteLength(bytes) };
  const { url, fields } = (await launch.call('PUT', launch.file('member', key), { json })).json();
  const { headers, body } = formOf(fields, bytes);
  return requestBytes('POST', url, { headers, body: body.toString('latin1') });
}

/** Bodies without a sane end, each with the status that refuses it. */
type Flood = (emulator: EmulatorProcess, student: Launch, bytes: number) => Promise<number[]>;

const FLOODS: Readonly<Record<string, Flood>> = {
  'a row with its length': (_, student, bytes) =>
    flood('PUT', student.row('member'), student.token, { bytes }),
  'a row in chunks': (_, student, bytes) =>
    flood('PUT', student.row('member'), student.token, { bytes, chunked: true }),
  'a patch': (_, student, bytes) =>
    flood('PATCH', student.row('member'), student.token, { bytes, chunked: true }),
  'a grade': (_, student, bytes) => flood('POST', student.submit, student.token, { bytes }),
  'a declaration': (_, student, bytes) =>
    flood('PUT', student.file('member', 'x'), student.token, { bytes }),
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

hostile(
  {
    tried: 'bodies of 60 MB by callers without a known credential, on many connections at once',
    size: { short: 8, long: 64 },
    cannotRun: withoutProc,
  },
  async ({ size }) => {
    const emulator = await startProcess();
    const student = await emulator.launch();
    await serves(student, 'before');
    const before = emulator.memory().now;
    const floodAs = (_: unknown, index: number): Promise<number[]> =>
      flood('PUT', student.row('member'), 'wrong', {
        bytes: 60 * MEGABYTE,
        chunked: index % 2 === 0,
      });
    const statuses = await Promise.all(Array.from({ length: size }, floodAs));
    expect(statuses.flat()).toEqual(Array(size).fill(401));
    await serves(student, 'after');
    // Stored whole, they would take 480 MB and more; Node decides when the garbage is collected.
    expect(emulator.memory().most - before).toBeLessThan(360);
  },
);

const FORM_FLOODS: Readonly<Record<string, (bytes: number) => Iterable<string>>> = {
  'a file that is larger than declared': function* (bytes) {
    yield part('file" filename="f');
    yield* pieces(bytes, false);
    yield '\r\n--b--\r\n';
  },
  'one endless field': function* (bytes) {
    yield part('key');
    yield* pieces(bytes, false);
    yield '\r\n--b--\r\n';
  },
  'endlessly many fields': function* (bytes) {
    const fields = Array.from(
      { length: 1000 },
      (_, index) => `${part(`f${index}`)}${'y'.repeat(990)}\r\n`,
    );
    for (let sent = 0; sent < bytes; sent += MEGABYTE) yield fields.join('');
    yield '--b--\r\n';
  },
  'endlessly many files': function* (bytes) {
    const files = `${part('file" filename="f')}${'y'.repeat(990)}\r\n`.repeat(1000);
    for (let sent = 0; sent < bytes; sent += MEGABYTE) yield files;
    yield '--b--\r\n';
  },
  'a part with an endless head': function* (bytes) {
    yield '--b\r\nx: ';
    yield* pieces(bytes, false);
    yield '\r\n\r\n\r\n--b--\r\n';
  },
  'no boundary at all': (bytes) => pieces(bytes, false),
};

function part(name: string): string {
  return `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`;
}

hostile(
  {
    tried: `forms of many megabytes: ${Object.keys(FORM_FLOODS).join(', ')}`,
    size: { short: 15, long: 300 },
    cannotRun: withoutProc,
  },
  async ({ size }) => {
    const emulator = await startProcess();
    const student = await emulator.launch();
    await serves(student, 'before');
    const before = emulator.memory().now;
    for (const [name, body] of Object.entries(FORM_FLOODS)) {
      const json = { size: 10 };
      const declared = await student.call('PUT', student.file('member', 'x'), { json });
      const { url } = declared.json();
      const connection = connectTo(url);
      const headers = {
        'transfer-encoding': 'chunked',
        'content-type': 'multipart/form-data; boundary=b',
      };
      connection.write(requestBytes('POST', url, { headers }));
      const chunks = function* (): Generator<string> {
        for (const text of body(size * MEGABYTE))
          yield `${text.length.toString(16)}\r\n${text}\r\n`;
        yield '0\r\n\r\n';
      };
      await connection.stream(chunks());
      const text = await waitingFor(
        `an answer to ${name}`,
        connection.until((seen) => seen.includes('</Error>')),
      );
      expect([400, 403], name).toContain(statusesIn(text)[0]);
      connection.destroy();
      await serves(student, name);
      expect(storedBlobs(emulator)).toEqual({ all: 1, loose: 0 });
    }
    expect(emulator.memory().most - before).toBeLessThan(150);
  },
);
