/** Answers by their status: final ones, those that come before them, and redirects. */
import { STATUS_CODES } from 'node:http';
import { expect } from 'vitest';
import { startRawServer } from '../support/raw-server.ts';
import {
  ENTITY,
  type Expected,
  GOOD,
  type HostileAnswer,
  type Kind,
  LOST,
  sizeOf,
  sizesOf,
  tryAnswers,
  UNUSABLE,
} from './answering.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Answers');

/** An answer with what a good one carries. */
function answerWith(status: number, kind: Kind, headers = ''): Buffer {
  const length = `content-length: ${ENTITY[kind].length}\r\n`;
  return Buffer.concat([Buffer.from(head(status, `${headers}${length}`)), ENTITY[kind]]);
}

/** One that has only a head. */
function head(status: number, headers = ''): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Odd'}\r\n${headers}\r\n`;
}

function statuses(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/**
 * What a final status says (RFC 9110, 15): one that is not known is what its hundred is, and one
 * outside 100 to 599 is a 5xx.
 */
function expectedOf(status: number): Expected {
  // A 204 has no content, whatever follows it.
  if (status === 204) return { read: [8], write: [0], grade: [10] };
  if (status >= 200 && status < 300) return GOOD;
  if (status < 400 || status >= 500) return UNUSABLE;
  const exit = ({ 401: 4, 403: 5, 404: 6, 429: 8 } as Record<number, number>)[status] ?? 7;
  return { read: [exit], write: [exit], grade: [exit] };
}

const finals = statuses(200, 999).map((status): HostileAnswer => ({
  name: `${status}`,
  pieces: (kind) => [answerWith(status, kind)],
  expected: expectedOf(status),
}));
/** The short form has those with a name, and the first and the last of each hundred. */
const fewer = finals.filter(({ name }) => STATUS_CODES[Number(name)] || /00$|99$/.test(name));

hostile(
  {
    tried: 'every final status from 200 to 999',
    size: { short: sizeOf(fewer), long: sizeOf(finals) },
  },
  ({ size }) => tryAnswers(size === sizeOf(finals) ? finals : fewer, { isWhole: true }),
);

const below: HostileAnswer[] = [0, 1, 9, 10, 42, 99].flatMap((status) =>
  [String(status).padStart(3, '0'), String(status)].map((shown) => ({
    name: `status ${shown}`,
    pieces: () => [`HTTP/1.1 ${shown} Odd\r\ncontent-length: 0\r\n\r\n`],
    expected: { read: [8], write: [0, 10], grade: [10] },
  })),
);

hostile(
  {
    tried: 'a status below 100',
    size: sizesOf(below),
    found: 'a status of 000 or 099 was reported as "false == true"',
  },
  () => tryAnswers(below),
);

/** 101 changes the protocol, which was not requested; every other one may come at any time. */
const interim = statuses(100, 199).filter((status) => status !== 101);

const interims: HostileAnswer[] = [
  ...interim.map((status) => ({
    name: `${status} before the answer`,
    pieces: (kind: Kind) => [head(status), { wait: 1 }, answerWith(200, kind)],
    // undici closes the connection at a 100 that was not asked for.
    expected: status === 100 ? LOST : GOOD,
    // Once through all of them will do for those that sync the disk.
    ...(STATUS_CODES[status] ? {} : { kinds: ['read'] as const }),
  })),
  {
    name: '100 in one piece with the answer',
    pieces: (kind) => [Buffer.concat([Buffer.from(head(100)), answerWith(200, kind)])],
    expected: LOST,
  },
  {
    name: '103 in one piece with the answer',
    pieces: (kind) => [Buffer.concat([Buffer.from(head(103)), answerWith(200, kind)])],
    expected: GOOD,
  },
  {
    name: '103 with headers, byte by byte, before the answer',
    pieces: (kind) => [...Buffer.from(head(103, 'a: b\r\n')), answerWith(200, kind)].map(pieceOf),
    expected: GOOD,
  },
  {
    name: '30 interim ones before the answer',
    pieces: (kind) => [
      ...interim.slice(1, 31).map((status) => head(status)),
      answerWith(200, kind),
    ],
    expected: GOOD,
  },
  {
    name: 'hints with links before the answer',
    pieces: (kind) => [head(103, 'link: </a.css>; rel=preload\r\n'), answerWith(200, kind)],
    expected: GOOD,
  },
  {
    name: '102 before a refusal',
    pieces: (kind) => [head(102), answerWith(422, kind)],
    expected: { read: [7], write: [7], grade: [7] },
  },
  {
    name: '100 before a refusal',
    pieces: (kind) => [head(100), answerWith(422, kind)],
    expected: LOST,
  },
  {
    name: '100 and then the end',
    pieces: () => [head(100), 'FIN'],
    expected: LOST,
  },
  {
    name: '103 and then a reset',
    pieces: () => [head(103), { wait: 5 }, 'RST'],
    expected: LOST,
  },
  {
    name: '103 and then nothing',
    pieces: () => [head(103), 'hold'],
    expected: LOST,
    timeoutSeconds: 0.1,
  },
  {
    name: '103 again and again',
    async *pieces() {
      for (;;) {
        yield head(103);
        yield { wait: 2 };
      }
    },
    expected: LOST,
    timeoutSeconds: 0.1,
  },
  {
    name: '101 without a request for it',
    pieces: (kind) => [head(101, 'connection: upgrade\r\nupgrade: x\r\n'), answerWith(200, kind)],
    expected: LOST,
  },
];

function pieceOf(byte: number | Buffer): Buffer {
  return typeof byte === 'number' ? Buffer.of(byte) : byte;
}

hostile(
  {
    tried: 'every interim status from 100 to 199, before a response and instead of one',
    times: { short: 1, long: 10 },
    size: sizesOf(interims),
  },
  () => tryAnswers(interims),
);

const REDIRECTS = [300, 301, 302, 303, 305, 306, 307, 308];

hostile(
  {
    tried: 'redirects to the same origin, to another, to https, and without a target',
    times: { short: 1, long: 10 },
    size: { short: REDIRECTS.length * 5, long: REDIRECTS.length * 5 * 3 },
  },
  async () => {
    const elsewhere = await startRawServer({ answer: () => [head(204)] });
    const locations = [
      'location: /elsewhere\r\n',
      `location: ${elsewhere.origin}/elsewhere\r\n`,
      `location: ${elsewhere.origin.replace('http', 'https')}/\r\n`,
      'location: http://[::\u0000]:99999/ \r\nlocation: x\r\n',
      '',
    ];
    await tryAnswers(
      REDIRECTS.flatMap((status) =>
        locations.map((location) => ({
          name: `${status} ${location.trim()}`,
          pieces: (kind: Kind) => [answerWith(status, kind, location)],
          expected: location.includes('\u0000') ? { ...UNUSABLE, write: [0, 10] } : UNUSABLE,
        })),
      ),
    );
    expect(elsewhere.connections()).toBe(0);
  },
);
