/**
 * What lectern makes of an answer: of its status, of where it breaks off, and of what it carries. How
 * HTTP is parsed is undici's; here is one answer of each kind that lectern distinguishes.
 */
import { STATUS_CODES } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { lectern } from '../support/lectern.ts';
import { type Piece, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import {
  ENTITY,
  type Expected,
  GOOD,
  GOOD_OR_LOST,
  type HostileAnswer,
  type Kind,
  LOST,
  ok,
  RECORD,
  ROW,
  tryAnswers,
  UNUSABLE,
} from './answering.ts';
import { hostileCases, IS_LONG } from './support.ts';

const hostile = hostileCases('Answers');

function head(status: number, headers = ''): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Odd'}\r\n${headers}\r\n`;
}

/** An answer with what a good one carries. */
function answerWith(status: number, kind: Kind, headers = ''): Buffer {
  const length = `content-length: ${ENTITY[kind].length}\r\n`;
  return Buffer.concat([Buffer.from(head(status, `${headers}${length}`)), ENTITY[kind]]);
}

/** What a final status says (RFC 9110, 15): an unknown one is what its hundred is. */
function expectedOf(status: number): Expected {
  // A 204 has no content, whatever follows it.
  if (status === 204) return { read: [8], write: [0], grade: [10] };
  if (status >= 200 && status < 300) return GOOD;
  if (status < 400 || status >= 500) return UNUSABLE;
  const exit = ({ 401: 4, 403: 5, 404: 6, 429: 8 } as Record<number, number>)[status] ?? 7;
  return { read: [exit], write: [exit], grade: [exit] };
}

const finals = Array.from({ length: 800 }, (_, index): HostileAnswer => {
  const status = 200 + index;
  const pieces = (kind: Kind) => [answerWith(status, kind)];
  return { name: `${status}`, pieces, expected: expectedOf(status) };
});
const fewer = finals.filter(({ name }) => /00$|204|401|403|404|422|429|503/.test(name));

hostile(
  {
    tried: 'every final status from 200 to 999',
  },
  () => tryAnswers(IS_LONG ? finals : fewer, true),
);

hostile(
  {
    tried: 'redirects to the same origin, to another, to https, and without a target',
    times: { short: 1, long: 10 },
    size: { short: 20, long: 60 },
  },
  async () => {
    const elsewhere = await startRawServer({ answer: () => [head(204)] });
    const locations = [
      'location: /elsewhere\r\n',
      `location: ${elsewhere.origin}/elsewhere\r\n`,
      `location: ${elsewhere.origin.replace('http', 'https')}/\r\n`,
      '',
    ];
    await tryAnswers(
      [301, 302, 303, 307, 308].flatMap((status) =>
        locations.map((location) => ({
          name: `${status} ${location.trim()}`,
          pieces: (kind: Kind) => [answerWith(status, kind, location)],
          expected: UNUSABLE,
        })),
      ),
    );
    expect(elsewhere.connections()).toBe(0);
  },
);

type Row = [
  name: string,
  expected: Expected,
  pieces: (kind: Kind) => Piece[],
  more?: Partial<HostileAnswer>,
];

const rowsOf = (rows: readonly Row[]): HostileAnswer[] =>
  rows.map(([name, expected, pieces, more]) => ({ name, expected, pieces, ...more }));

const NOT_HTTP = { says: 'the response is not valid HTTP' };

const cut = (kind: Kind): string =>
  head(200, `content-length: ${ENTITY[kind].length + 1}\r\n`) + ENTITY[kind].toString();

/** Where an answer ends, and what comes instead of it. */
const ends = rowsOf([
  ['the end before a byte', LOST, () => ['FIN']],
  ['a reset before a byte', LOST, () => ['RST']],
  ['nothing', LOST, () => ['hold'], { timeoutSeconds: 0.1 }],
  ['the end in the headers', LOST, () => ['HTTP/1.1 200 OK\r\ncontent-le', 'FIN']],
  ['a body that is cut', LOST, (kind) => [cut(kind), 'FIN']],
  ['a body that is cut by a reset', LOST, (kind) => [cut(kind), { wait: 5 }, 'RST']],
  ['a body that is never whole', LOST, (kind) => [cut(kind), 'hold'], { timeoutSeconds: 0.1 }],
  [
    'chunks without the last one',
    LOST,
    () => [head(200, 'transfer-encoding: chunked\r\n'), '2\r\n{}\r\n', { wait: 2 }, 'FIN'],
  ],
  ['a body that ends with the connection', GOOD, (kind) => [head(200), ENTITY[kind], 'FIN']],
  [
    'byte by byte',
    GOOD,
    (kind) => [...answerWith(200, kind)].map((byte): Piece => Buffer.of(byte)),
  ],
  ['the whole, and then a reset', GOOD, (kind) => [answerWith(200, kind), { wait: 30 }, 'RST']],
  ['a hint before it', GOOD, (kind) => [head(103, 'link: </a>\r\n'), answerWith(200, kind)]],
  // undici closes the connection at a 100 that was not asked for.
  [
    'a 100 before it',
    LOST,
    (kind) => [head(100), { wait: 1 }, answerWith(200, kind)],
    { says: 'the connection was closed' },
  ],
  ['HTTP/1.0', GOOD, (kind) => ['HTTP/1.0 200 OK\r\n\r\n', ENTITY[kind], 'FIN']],
  [
    'a status of 099',
    { ...UNUSABLE, write: [0, 10] },
    () => ['HTTP/1.1 099 Low\r\n\r\n', 'FIN'],
    NOT_HTTP,
  ],
  [
    'a switch of protocols',
    { ...UNUSABLE, write: [0, 8, 10] },
    () => ['HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    NOT_HTTP,
  ],
  ['another protocol', UNUSABLE, () => ['SSH-2.0-OpenSSH_9.6\r\n', 'FIN'], NOT_HTTP],
  ['headers of 10 MB', UNUSABLE, () => [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(10 << 20)}\r\n`]],
]);

hostile(
  {
    tried: 'answers that break off, come slowly or never, and are not HTTP',
    times: { short: 1, long: 20 },
  },
  () => tryAnswers(ends),
);

/** The entity with something put into its object. */
const within = (kind: Kind, more: string): string =>
  `${ENTITY[kind].toString().slice(0, -1)},${more}}`;

function body(
  name: string,
  expected: Expected,
  bytes: (kind: Kind) => string | Uint8Array,
  headers = '',
): HostileAnswer {
  return { name, expected, pieces: (kind) => [ok(bytes(kind), headers)] };
}

/** A good answer with more in its object, of which nothing is lost. */
function holding(name: string, more: string, expected = GOOD): HostileAnswer {
  const prints = `${ROW.slice(0, -1)},${more}}`;
  return {
    ...body(name, expected, (kind) => within(kind, more)),
    kinds: ['read', 'grade'],
    prints,
  };
}

const levels = (count: number): string => `"deep":${'['.repeat(count)}${']'.repeat(count)}`;
const PAGE = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Hello</body></html>';
/** The body cannot be decoded: its content is unknown. */
const BROKEN: Expected = { read: [8], write: [0, 10], grade: [10] };

const bodies: HostileAnswer[] = [
  // Only a write is answered with nothing.
  body('empty', { ...UNUSABLE, write: [0] }, () => ''),
  body('HTML', UNUSABLE, () => PAGE, 'content-type: application/json\r\n'),
  ...['null', '[]', '"{}"', '1', '{"a":1', '{"a":1} x', '{"a":NaN}'].map((json) =>
    body(json, UNUSABLE, () => json),
  ),
  body('a member without an attempt', { ...UNUSABLE, read: [0] }, (kind) =>
    kind === 'read' ? ROW : '{"ok":true}',
  ),
  body('not UTF-8', UNUSABLE, (kind) => Buffer.from(within(kind, '"x":"\u0080"'), 'latin1')),
  body('a byte order mark', { ...GOOD_OR_LOST, read: [8] }, (kind) => `\ufeff${ENTITY[kind]}`),
  holding('a name twice', '"a":2,"id":"attempt-1"'),
  holding('long numbers', `"n":[${'9'.repeat(30)},0.${'1'.repeat(30)},1e400,-1e-400,1.10]`),
  holding('names of JavaScript', '"__proto__":{"x":1},"constructor":1,"toString":2'),
  holding('odd characters', String.raw`"x":"\u0000\ud800\u009b","y":"\u2028\u202e"`),
  holding('1,000 levels', levels(999)),
  // A row that is not read; an attempt is recorded all the same.
  holding('1,001 levels', levels(1_000), { ...GOOD, read: [8] }),
  body('gzip', GOOD, (kind) => gzipSync(ENTITY[kind]), 'content-encoding: gzip\r\n'),
  body('brotli', GOOD, (kind) => brotliCompressSync(ENTITY[kind]), 'content-encoding: br\r\n'),
  body(
    'half of gzip',
    BROKEN,
    (kind) => gzipSync(ENTITY[kind]).subarray(0, 15),
    'content-encoding: gzip\r\n',
  ),
  body('no brotli at all', BROKEN, (kind) => `{${ENTITY[kind]}`, 'content-encoding: br\r\n'),
];

hostile(
  {
    tried: 'bodies that are no row and no attempt, unusual ones, and compressed ones',
    times: { short: 1, long: 20 },
  },
  () => tryAnswers(bodies),
);

/** More than is ever read; a write may be settled by reading the row. */
const ENDLESS = BROKEN;

function* endless(): Generator<Piece> {
  yield head(200);
  const spaces = Buffer.alloc(1 << 20, ' ');
  for (;;) yield spaces;
}

hostile(
  {
    tried: 'a body that never ends, and a gigabyte of spaces in gzip',
    times: { short: 1, long: 5 },
    size: { short: 2, long: 6 },
  },
  () => {
    const bomb = Buffer.concat(Array<Buffer>(256).fill(gzipSync(Buffer.alloc(4 << 20, ' '))));
    return tryAnswers([
      body('a bomb', ENDLESS, () => bomb, 'content-encoding: gzip\r\n'),
      { name: 'without end', expected: ENDLESS, pieces: endless },
    ]);
  },
);

/** How a service closes a connection that could have been used again, and after how many answers. */
const CLOSINGS: readonly (readonly Piece[])[] = [
  ['FIN'],
  ['RST'],
  [{ wait: 1 }, 'FIN'],
  [{ wait: 1 }, 'RST'],
  [{ wait: 3 }, 'FIN'],
];

hostile(
  {
    tried: 'kept-alive connections that are closed at the moment of a grade',
    times: { short: 1, long: 100 },
    size: { short: 30, long: 60 },
  },
  async ({ repetition, size }) => {
    for (const closing of CLOSINGS) {
      const answered = new Set<string>();
      const service = await startRawServer({
        *answer({ target, index }) {
          // Each connection takes a grade or two, and is closed instead of the answer or after it.
          const member = /members\/([^/]+)/.exec(target)?.[1] ?? '';
          if (index === 2) return yield 'RST';
          answered.add(member);
          yield ok(RECORD.replace('"member":"m-1"', `"member":"${member}"`));
          if ((index + repetition) % 2 === 1) yield* closing;
        },
      });
      const grades = Array.from({ length: size }, (_, index) => `m-${index},0.5\n`).join('');
      const result = await lectern(
        ['grade', 'submit', '--from', '-', '--yes', '--json', '-l', launchFile(service.origin)],
        { input: `member,score\n${grades}` },
      );
      const targets = service.requests.map(({ target }) => target);
      expect(new Set(targets).size, 'a grade was sent twice').toBe(targets.length);
      const lines = result.stdout.trimEnd().split('\n').slice(0, -1);
      const rows = lines.map((line) => JSON.parse(line) as { member: string; outcome: string });
      const recorded = rows.filter(({ outcome }) => outcome === 'recorded');
      expect(rows).toHaveLength(size);
      // An answer that was written may be lost with its connection; none is made up.
      for (const { member } of recorded) expect(answered).toContain(member);
      const others = rows.map(({ outcome }) => outcome).filter((each) => each !== 'recorded');
      expect(others.filter((outcome) => !/^in.doubt$/.test(outcome))).toEqual([]);
      expect([0, 10], result.stderr).toContain(result.exit);
    }
  },
);
