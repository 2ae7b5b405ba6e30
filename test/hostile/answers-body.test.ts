/** Answers by what they carry: what is no row and no record, encodings, and sizes. */
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Piece } from '../support/raw-server.ts';
import {
  ENTITY,
  type Expected,
  GOOD,
  type HostileAnswer,
  type Kind,
  ok,
  ROW,
  sizesOf,
  tryAnswers,
  UNUSABLE,
} from './answering.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Answers');

/** What has bytes; a good write is answered with none. */
const WITH_BYTES = ['read', 'grade'] as const;

function body(
  name: string,
  expected: Expected,
  bytes: (kind: Kind) => string | Uint8Array,
  headers = '',
): HostileAnswer {
  return { name, expected, pieces: (kind) => [ok(bytes(kind), headers)] };
}

/** The entity with something put into its object. */
function within(kind: Kind, more: string): string {
  return `${ENTITY[kind].toString().slice(0, -1)},${more}}`;
}

const nested = (levels: number): string => `"deep":${'['.repeat(levels)}${']'.repeat(levels)}`;
/** Bytes that are not valid UTF-8: a stray continuation, an overlong slash, half a character, a surrogate. */
const INVALID_UTF8 = ['\u0080', '\u00c0\u00af', '\u00e2\u0082', '\u00ed\u00a0\u0080', '\u00ff'];

const PAGE =
  '<!DOCTYPE html><html><head><title>Sign in</title></head><body><p>Hello</p></body></html>';

const bodies: HostileAnswer[] = [
  // Only a write is answered with nothing.
  body('empty', { ...UNUSABLE, write: [0] }, () => ''),
  body('one space', UNUSABLE, () => ' '),
  body('HTML', UNUSABLE, () => PAGE, 'content-type: text/html\r\n'),
  body('HTML that says it is JSON', UNUSABLE, () => PAGE, 'content-type: application/json\r\n'),
  ...['null', 'true', '[]', '[{}]', '"{}"', '1', '-0', '{', '{"a":1', '{"a":1}}', '{"a":1} x'].map(
    (text) => body(text, UNUSABLE, () => text),
  ),
  ...[
    "{'a':1}",
    '{a:1}',
    '{"a":01}',
    '{"a":NaN}',
    '{"a":1,}',
    '{"a":"\n"}',
    '\u0000{}',
    '//\n{}',
  ].map((text) => body(JSON.stringify(text), UNUSABLE, () => text)),
  body('a member without an attempt', { ...UNUSABLE, read: [0] }, (kind) =>
    kind === 'read' ? ROW : '{"ok":true}',
  ),
  ...INVALID_UTF8.map((bytes) =>
    body(`invalid UTF-8, ${Buffer.from(bytes, 'latin1').toString('hex')}`, UNUSABLE, (kind) =>
      Buffer.from(within(kind, `"x":"${bytes}"`), 'latin1'),
    ),
  ),
  body('UTF-16', UNUSABLE, (kind) => Buffer.from(within(kind, '"x":1'), 'utf16le')),
  body('a byte order mark first', { read: [8], write: [10], grade: [0, 10] }, (kind) =>
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), ENTITY[kind]]),
  ),
];

function declare(
  tried: string,
  answers: readonly HostileAnswer[],
  found = '',
  limitMs = 60_000,
): void {
  const size = sizesOf(answers);
  hostile({ tried, times: { short: 1, long: 20 }, size, limitMs, found }, () =>
    tryAnswers(answers),
  );
}

declare(
  'bodies that are neither a row nor an attempt: empty, HTML, other JSON, not JSON, not UTF-8',
  bodies,
);

const types = ['text/html', 'image/png', 'application/json; charset=utf-16', 'x', '', '/'];

const odd: HostileAnswer[] = [
  ...types.map((type) =>
    whole(`a Content-Type of "${type}"`, (kind) => ENTITY[kind], `content-type: ${type}\r\n`),
  ),
  whole('white space around it', (kind) => `\r\n\t ${ENTITY[kind].toString()} \n`),
  holding('1,000 levels', nested(999)),
  ...[1_000, 10_000, 100_000].map((levels) => tooDeep(levels)),
  holding('a name that occurs twice', '"a":2,"id":"attempt-1"'),
  holding('numbers of 30 digits', `"n":[${'9'.repeat(30)},0.${'1'.repeat(30)},1e400,-1e-400,1.10]`),
  holding('a number of 100,000 digits', `"n":${'7'.repeat(100_000)}`),
  holding(
    '100,000 names',
    `"names":{${Array.from({ length: 100_000 }, (_, index) => `"${index}":0`).join()}}`,
  ),
  holding('a name of 1 MB', `"${'x'.repeat(1 << 20)}":1`),
  holding(
    'names that are special in JavaScript',
    '"__proto__":{"x":1},"constructor":1,"toString":2',
  ),
  holding('NUL, lone surrogates and C1 in escapes', String.raw`"x":"\u0000\ud800\u009b\udfff"`),
  holding('line separators and bidi marks', '"x":"\u2028\u2029\u202e\u2066"'),
];

/** A good answer, oddly put. */
function whole(
  name: string,
  bytes: (kind: Kind) => string | Uint8Array,
  headers = '',
): HostileAnswer {
  return { ...body(name, GOOD, bytes, headers), kinds: WITH_BYTES };
}

/** A good answer with more in its object. */
function holding(name: string, more: string): HostileAnswer {
  const bytes = (kind: Kind): Buffer => Buffer.from(within(kind, more));
  return { ...whole(name, bytes), prints: `${ROW.slice(0, -1)},${more}}` };
}

/** A row that is not read; an attempt is recorded all the same. */
function tooDeep(levels: number): HostileAnswer {
  const name = `${levels + 1} levels`;
  return { ...holding(name, nested(levels)), expected: { ...GOOD, read: [8] } };
}

declare(
  'unusual rows and attempts: types, white space, duplicate names, long numbers, too many levels',
  odd,
);

type Encode = (bytes: Uint8Array) => Buffer;

/** An answer in an encoding; the empty one of a write too. */
function encoded(name: string, coding: string, expected: Expected, encode: Encode): HostileAnswer {
  return body(name, expected, (kind) => encode(ENTITY[kind]), `content-encoding: ${coding}\r\n`);
}

/** The body breaks off or cannot be decoded: its content is unknown. */
const BROKEN: Expected = { read: [8], write: [0, 10], grade: [10] };
/** It can be undone with some care, or taken as it is; a client need not. */
const EITHER: Expected = { read: [0, 8], write: [0, 10], grade: [0, 10] };

const half = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.length / 2);
const CODINGS: readonly (readonly [coding: string, encode: Encode])[] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
];

const encodings: HostileAnswer[] = [
  ...CODINGS.map(([coding, encode]) => encoded(coding, coding, GOOD, encode)),
  encoded('identity', 'identity', GOOD, Buffer.from),
  encoded('gzip in two members', 'gzip', GOOD, (bytes) =>
    Buffer.concat([gzipSync(bytes.subarray(0, 5)), gzipSync(bytes.subarray(5))]),
  ),
  encoded('deflate without its head', 'deflate', EITHER, deflateRawSync),
  encoded('gzip twice', 'gzip, gzip', EITHER, (bytes) => gzipSync(gzipSync(bytes))),
  encoded('gzip, then rubbish', 'gzip', EITHER, (bytes) =>
    Buffer.concat([gzipSync(bytes), Buffer.from('rubbish')]),
  ),
  encoded('half of gzip', 'gzip', BROKEN, (bytes) => half(gzipSync(bytes))),
  encoded('half of deflate', 'deflate', BROKEN, (bytes) => half(deflateSync(bytes))),
  encoded('half of brotli', 'br', BROKEN, (bytes) => half(brotliCompressSync(bytes))),
  encoded('gzip with a wrong sum', 'gzip', BROKEN, (bytes) =>
    Buffer.concat([gzipSync(bytes).subarray(0, -8), Buffer.alloc(8, 7)]),
  ),
  ...['gzip', 'deflate', 'br'].map((coding) =>
    encoded(`not ${coding} at all`, coding, BROKEN, (bytes) =>
      Buffer.concat([Buffer.from('{'), bytes]),
    ),
  ),
  ...['zstd', 'compress', 'rot13', '__proto__', 'br, gzip, x', '\u00e4'].map((coding) =>
    encoded(`unknown: ${coding}`, coding, EITHER, Buffer.from),
  ),
];

declare(
  'bodies in gzip, deflate and brotli: valid, compressed twice, truncated, broken, unknown',
  encodings,
);

/** More than is ever read: a write may be settled by reading the row. */
const ENDLESS: Expected = { read: [8], write: [0, 10], grade: [10] };

/** 1 GB of spaces before what would be good: more than any row has. */
function bombs(): HostileAnswer[] {
  const flat = Buffer.alloc(64 << 20, ' ');
  const bomb = Buffer.concat(Array<Buffer>(16).fill(gzipSync(flat)));
  const brotli = brotliCompressSync(Buffer.alloc(1 << 30, ' '), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
  });
  return [
    body('gzip', ENDLESS, () => bomb, 'content-encoding: gzip\r\n'),
    body('brotli', ENDLESS, () => brotli, 'content-encoding: br\r\n'),
  ];
}

hostile(
  {
    tried: 'a compression bomb: a gigabyte of spaces in gzip and in brotli',
    times: { short: 1, long: 5 },
    size: { short: 2, long: 6 },
  },
  () => tryAnswers(bombs()),
);

/** Endless spaces, as fast as the connection takes them. */
function* endless(head: string): Generator<Piece> {
  yield head;
  const spaces = Buffer.alloc(1 << 20, ' ');
  for (;;) yield spaces;
}

const chunkOfSpaces = `100000\r\n${' '.repeat(1 << 20)}\r\n`;

hostile(
  { tried: 'a body that never ends', times: { short: 1, long: 20 }, size: { short: 2, long: 6 } },
  () =>
    tryAnswers([
      {
        name: 'until the end',
        pieces: () => endless('HTTP/1.1 200 OK\r\n\r\n'),
        expected: ENDLESS,
      },
      {
        name: 'in chunks',
        *pieces() {
          yield 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
          for (;;) yield chunkOfSpaces;
        },
        expected: ENDLESS,
      },
    ]),
);
