/** Answers by their framing: lengths, chunks, heads, versions, and ends that come too soon or never. */
import { expect } from 'vitest';
import { lectern } from '../support/lectern.ts';
import { type Piece, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import {
  commandOf,
  ENTITY,
  type Expected,
  GOOD,
  GOOD_OR_LOST,
  type HostileAnswer,
  type Kind,
  KINDS,
  LOST,
  ok,
  sizesOf,
  tryAnswers,
  UNUSABLE,
} from './answering.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Answers');

type Pieces = (entity: Buffer, kind: Kind) => Piece[];

function answer(
  name: string,
  expected: Expected,
  pieces: Pieces,
  more: Partial<HostileAnswer> = {},
): HostileAnswer {
  return { name, expected, pieces: (kind) => pieces(ENTITY[kind], kind), ...more };
}

function declare(tried: string, answers: readonly HostileAnswer[], found = ''): void {
  const size = sizesOf(answers);
  hostile({ tried, times: { short: 1, long: 20 }, size, limitMs: 90_000, found }, () =>
    tryAnswers(answers),
  );
}

const OK = 'HTTP/1.1 200 OK\r\n';
const join = (...parts: (string | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  );

/** The grade and the read: what a good write is answered with has no bytes. */
const WITH_BYTES = { kinds: ['read', 'grade'] } as const;
/** A response that breaks off in the middle. */
const CUT: Expected = { read: [8], write: 'settled', grade: [10] };

const lengths: HostileAnswer[] = [
  answer('right', GOOD, (entity) => [ok(entity)]),
  answer('given twice alike', GOOD_OR_LOST, (entity) => [
    ok(entity, `content-length: ${entity.length}\r\n`),
  ]),
  answer('a list of two alike', GOOD_OR_LOST, (entity) => [
    join(OK, `content-length: ${entity.length}, ${entity.length}\r\n\r\n`, entity),
  ]),
  answer('given twice, differently', CUT, (entity) => [ok(entity, `content-length: 3\r\n`)]),
  ...['-1', '+5', '0x10', '1e1', '7.0', 'abc', '', '5 5', '9'.repeat(30), '\u00b2'].map((length) =>
    answer(`of "${length}"`, { ...CUT, write: [0, 8, 10] }, (entity) => [
      join(OK, `content-length: ${length}\r\n\r\n`, entity),
      { wait: 2 },
      'FIN',
    ]),
  ),
  answer('one too long, then the end', CUT, (entity) => [
    join(OK, `content-length: ${entity.length + 1}\r\n\r\n`, entity),
    'FIN',
  ]),
  answer('one too long, then a reset', CUT, (entity) => [
    join(OK, `content-length: ${entity.length + 1}\r\n\r\n`, entity),
    { wait: 5 },
    'RST',
  ]),
  answer(
    'one too long, then nothing',
    CUT,
    (entity) => [join(OK, `content-length: ${entity.length + 1}\r\n\r\n`, entity), 'hold'],
    { timeoutSeconds: 0.1 },
  ),
  answer(
    'one too short',
    CUT,
    (entity) => [join(OK, `content-length: ${entity.length - 1}\r\n\r\n`, entity)],
    WITH_BYTES,
  ),
  answer('100 GB', CUT, (entity) => [
    join(OK, 'content-length: 107374182400\r\n\r\n', entity),
    'FIN',
  ]),
  answer('none, and the end ends it', GOOD, (entity) => [join(OK, '\r\n', entity), 'FIN']),
  // What came is whole where it is whole JSON.
  answer('none, and a reset ends it', GOOD_OR_LOST, (entity) => [
    join(OK, '\r\n', entity),
    { wait: 20 },
    'RST',
  ]),
  answer(
    'of a 204 that has bytes all the same',
    { read: [8], write: [0], grade: [10] },
    (entity) => [join('HTTP/1.1 204 No Content\r\ncontent-length: 7\r\n\r\n{"a":1}', entity)],
  ),
];

declare('every wrong Content-Length', lengths);

const chunk = (entity: Buffer, extension = ''): Buffer =>
  entity.length === 0
    ? Buffer.alloc(0)
    : join(entity.length.toString(16), extension, '\r\n', entity, '\r\n');
const chunked = (...parts: (string | Buffer)[]): Buffer =>
  join(OK, 'transfer-encoding: chunked\r\n\r\n', ...parts);

const chunks: HostileAnswer[] = [
  answer('right', GOOD, (entity) => [chunked(chunk(entity), '0\r\n\r\n')]),
  answer('of one byte each', GOOD, (entity) => [
    chunked(...[...entity].map((byte) => chunk(Buffer.of(byte))), '0\r\n\r\n'),
  ]),
  answer('in pieces that split every line', GOOD, (entity) =>
    [...chunked(chunk(entity), '0\r\n\r\n')].map((byte) => Buffer.of(byte)),
  ),
  answer('with extensions', GOOD, (entity) => [
    chunked(chunk(entity, ';a=b;c="d"'), '0;e\r\n\r\n'),
  ]),
  answer('with trailers', GOOD, (entity) => [chunked(chunk(entity), '0\r\nx-sum: 1\r\n\r\n')]),
  answer('with a leading zero in the size', GOOD, (entity) => [
    chunked(entity.length === 0 ? '' : '000', chunk(entity), '0\r\n\r\n'),
  ]),
  answer('named in capitals', GOOD, (entity) => [
    join(OK, 'Transfer-Encoding: CHUNKED\r\n\r\n', chunk(entity), '0\r\n\r\n'),
  ]),
  answer('without the last one', CUT, (entity) => [chunked(chunk(entity)), { wait: 2 }, 'FIN']),
  answer('cut in the last line', CUT, (entity) => [
    chunked(chunk(entity), '0\r\n'),
    { wait: 2 },
    'FIN',
  ]),
  answer('without the last one, then a reset', CUT, (entity) => [
    chunked(chunk(entity)),
    { wait: 5 },
    'RST',
  ]),
  answer('without the last one, then nothing', CUT, (entity) => [chunked(chunk(entity)), 'hold'], {
    timeoutSeconds: 0.1,
  }),
  ...['zz', '-1', '', '0x5', '5 5', 'f'.repeat(17), 'ffffffffffffffff', '7fffffffffffffff'].map(
    (size) =>
      answer(`of size "${size}"`, CUT, (entity) => [
        chunked(`${size}\r\n`, entity, '\r\n0\r\n\r\n'),
        { wait: 2 },
        'FIN',
      ]),
  ),
  answer(
    'that are longer than they say',
    CUT,
    (entity) => [chunked('3\r\n', entity, '\r\n0\r\n\r\n'), { wait: 2 }, 'FIN'],
    WITH_BYTES,
  ),
  answer('with an extension of 1 MB', GOOD_OR_LOST, (entity) => [
    chunked(chunk(entity, `;a=${'x'.repeat(1 << 20)}`), '0\r\n\r\n'),
  ]),
  answer('with 1 MB of trailers', GOOD_OR_LOST, (entity) => [
    chunked(chunk(entity), '0\r\n', 'x: y\r\n'.repeat(180_000), '\r\n'),
  ]),
  answer('with a bare LF', GOOD_OR_LOST, (entity) => [
    chunked(`${entity.length.toString(16)}\n`, entity, '\n0\n\n'),
    { wait: 2 },
    'FIN',
  ]),
  answer('beside a Content-Length', GOOD_OR_LOST, (entity) => [
    join(OK, 'transfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n', chunk(entity), '0\r\n\r\n'),
    { wait: 2 },
    'FIN',
  ]),
  ...['chunked, chunked', 'gzip', 'identity', 'chunked, gzip', 'xchunked', '\u000bchunked'].map(
    (encoding) =>
      answer(`"${encoding}"`, { read: [0, 8], write: [0, 8, 10], grade: [0, 10] }, (entity) => [
        join(OK, `transfer-encoding: ${encoding}\r\n\r\n`, chunk(entity), '0\r\n\r\n'),
        { wait: 2 },
        'FIN',
      ]),
  ),
];

declare('invalid, unusual or truncated chunks', chunks);

const headed = (lines: string, entity: Buffer): Buffer =>
  join(OK, lines, `content-length: ${entity.length}\r\n\r\n`, entity);

const heads: HostileAnswer[] = [
  answer('byte by byte', GOOD, (entity) =>
    [...headed('', entity)].flatMap((byte): Piece[] => [Buffer.of(byte)]),
  ),
  answer('50 headers', GOOD, (entity) => [headed('x-a: y\r\n'.repeat(50), entity)]),
  answer('1,000 headers', GOOD_OR_LOST, (entity) => [headed('x-a: y\r\n'.repeat(1_000), entity)]),
  answer('100,000 headers', UNUSABLE, (entity) => [headed('x-a: y\r\n'.repeat(100_000), entity)]),
  answer('a header of 8 KB', GOOD, (entity) => [headed(`x: ${'y'.repeat(8_000)}\r\n`, entity)]),
  answer('a header of 10 MB', UNUSABLE, (entity) => [
    headed(`x: ${'y'.repeat(10 << 20)}\r\n`, entity),
  ]),
  answer('a header name of 1 MB', UNUSABLE, (entity) => [
    headed(`${'x'.repeat(1 << 20)}: y\r\n`, entity),
  ]),
  answer('headers without end', UNUSABLE, () => [
    OK,
    ...Array<string>(2_000).fill('x-a: y\r\n'.repeat(50)),
  ]),
  answer(
    'a header without end, slowly',
    LOST,
    () => [
      OK,
      'x: ',
      ...Array(1_000)
        .fill(0)
        .flatMap((): Piece[] => ['y', { wait: 5 }]),
    ],
    { timeoutSeconds: 0.1 },
  ),
  answer('a header folded over two lines', GOOD_OR_LOST, (entity) => [
    headed('x: a\r\n b\r\n', entity),
  ]),
  answer('a header without a colon', GOOD_OR_LOST, (entity) => [headed('nonsense\r\n', entity)]),
  answer('a header without a name', GOOD_OR_LOST, (entity) => [headed(': x\r\n', entity)]),
  answer('a space before the colon', GOOD_OR_LOST, (entity) => [headed('x : y\r\n', entity)]),
  answer('a NUL in a header', GOOD_OR_LOST, (entity) => [headed('x: \u0000\r\n', entity)]),
  answer('bytes above ASCII in a header', GOOD, (entity) => [
    headed('x: \u00e4\u00ff\r\n', entity),
  ]),
  answer('a header named __proto__', GOOD, (entity) => [headed('__proto__: x\r\n', entity)]),
  answer('a header named constructor', GOOD, (entity) => [headed('constructor: x\r\n', entity)]),
  answer('cookies and other claims', GOOD, (entity) => [
    headed('set-cookie: a=b\r\nclear-site-data: "*"\r\nrefresh: 0; url=/x\r\n', entity),
  ]),
  answer('lines that end with LF alone', GOOD_OR_LOST, (entity) => [
    join(`HTTP/1.1 200 OK\ncontent-length: ${entity.length}\n\n`, entity),
    { wait: 2 },
    'FIN',
  ]),
  answer('an empty line before it', GOOD_OR_LOST, (entity) => [join('\r\n', headed('', entity))]),
  answer('no reason phrase', GOOD, (entity) => [
    join(`HTTP/1.1 200 \r\ncontent-length: ${entity.length}\r\n\r\n`, entity),
  ]),
  answer('no space after the status either', GOOD_OR_LOST, (entity) => [
    join(`HTTP/1.1 200\r\ncontent-length: ${entity.length}\r\n\r\n`, entity),
  ]),
  answer('a reason phrase of 1 MB', GOOD_OR_LOST, (entity) => [
    join(`HTTP/1.1 200 ${'x'.repeat(1 << 20)}\r\ncontent-length: ${entity.length}\r\n\r\n`, entity),
  ]),
  answer('escape sequences in the reason phrase', GOOD_OR_LOST, (entity) => [
    join(`HTTP/1.1 200 \u001b[2J\r\ncontent-length: ${entity.length}\r\n\r\n`, entity),
  ]),
];

declare('unusual heads, and very many headers', heads);

const statusLine = (line: string, entity: Buffer): Buffer =>
  join(`${line}\r\ncontent-length: ${entity.length}\r\n\r\n`, entity);

const versions: HostileAnswer[] = [
  answer('HTTP/1.0', GOOD, (entity) => [statusLine('HTTP/1.0 200 OK', entity)]),
  answer('HTTP/1.0 until the end', GOOD, (entity) => [
    join('HTTP/1.0 200 OK\r\n\r\n', entity),
    'FIN',
  ]),
  answer('HTTP/1.0 that stays open', GOOD, (entity) => [
    statusLine('HTTP/1.0 200 OK\r\nconnection: keep-alive', entity),
  ]),
  ...['HTTP/1.2', 'HTTP/2.0', 'HTTP/3', 'HTTP/0.9', 'HTTP/11', 'http/1.1', 'ICY', 'RTSP/1.0'].map(
    (version) =>
      answer(version, GOOD_OR_LOST, (entity) => [
        statusLine(`${version} 200 OK`, entity),
        { wait: 2 },
        'FIN',
      ]),
  ),
  answer('no head at all', UNUSABLE, () => ['{"a":1}', 'FIN']),
  answer('a request instead of an answer', UNUSABLE, () => [
    'GET / HTTP/1.1\r\nhost: x\r\n\r\n',
    'FIN',
  ]),
  answer('another protocol', UNUSABLE, () => ['220 mail.example ESMTP\r\n', 'FIN']),
  answer('a TLS alert', UNUSABLE, () => ['\u0015\u0003\u0001\u0000\u0002\u0002\u0028', 'FIN']),
  answer('HTTP/2 frames', UNUSABLE, () => [
    '\u0000\u0000\u0006\u0004\u0000\u0000\u0000\u0000\u0000',
    'FIN',
  ]),
  answer('1 MB of random bytes', UNUSABLE, () => [noise(1 << 20), 'FIN']),
  answer('a megabyte of line feeds', LOST, () => ['\r\n'.repeat(1 << 19), 'FIN']),
];

/** Bytes that look like nothing, the same each time. */
function noise(length: number): Buffer {
  let state = 1;
  return Buffer.from(
    Array.from({ length }, () => (state = (state * 16_807) % 2_147_483_647) & 0xff),
  );
}

declare('HTTP/1.0, other versions, and bytes that are not HTTP', versions);

const ends: HostileAnswer[] = [
  answer('the end before a byte', LOST, () => ['FIN']),
  answer('a reset before a byte', LOST, () => ['RST']),
  answer('nothing', LOST, () => ['hold'], { timeoutSeconds: 0.1 }),
  answer('the end in the status line', LOST, () => ['HTTP/1.1 20', 'FIN']),
  answer('the end in the headers', LOST, () => [`${OK}content-le`, 'FIN']),
  answer('a reset in the headers', LOST, () => [`${OK}content-le`, { wait: 5 }, 'RST']),
  answer('nothing after the headers', LOST, () => [`${OK}content-length: 5\r\n\r\n`, 'hold'], {
    timeoutSeconds: 0.1,
  }),
  answer(
    'a byte now and then',
    LOST,
    (entity) =>
      [...headed('', entity)].flatMap((byte): Piece[] => [Buffer.of(byte), { wait: 100 }]),
    { timeoutSeconds: 0.5 },
  ),
  answer('"connection: close", and it stays open', GOOD, (entity) => [
    headed('connection: close\r\n', entity),
    'hold',
  ]),
  answer('the whole answer, and then a reset', GOOD, (entity) => [
    headed('', entity),
    { wait: 30 },
    'RST',
  ]),
  answer('the whole answer, and then rubbish', GOOD, (entity) => [
    headed('', entity),
    { wait: 2 },
    'rubbish',
  ]),
  answer('the whole answer, and another in the same piece', GOOD, (entity) => [
    join(headed('', entity), ok('{"another":1}')),
  ]),
];

declare('responses that end too early, too slowly or never', ends);

/** What a service says before it is asked, as one does that gives up an idle connection. */
const EARLY: readonly (readonly Piece[])[] = [
  ['HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n', 'FIN'],
  [ok(ENTITY.grade), 'FIN'],
  ['HTTP/1.1 100 Continue\r\n\r\n', 'FIN'],
  ['rubbish', 'hold'],
  [{ wait: 2 }, 'FIN'],
  [{ wait: 2 }, 'RST'],
];

hostile(
  {
    tried: 'bytes before any request: a response, a 408, random bytes, a close',
    times: { short: 1, long: 100 },
    size: { short: EARLY.length * 3, long: EARLY.length * 3 },
  },
  async () => {
    for (const greeting of EARLY) {
      const service = await startRawServer({ greet: () => greeting, answer: () => ['FIN'] });
      const launch = launchFile(service.origin);
      for (const kind of KINDS) {
        const from = service.requests.length;
        const { exit, stderr } = await lectern(commandOf(kind, launch), { input: '{}' });
        // It is unknown which request a whole response is for; a 408 is a refusal.
        expect(
          [0, 7, 8, ...(kind === 'read' ? [] : [10])],
          `${JSON.stringify(greeting)} ${stderr}`,
        ).toContain(exit);
        expect(stderr).not.toContain('no answer within');
        const sent = service.requests.slice(from).filter(({ method }) => method !== 'GET');
        expect(sent.length).toBeLessThanOrEqual(1);
      }
    }
  },
);
