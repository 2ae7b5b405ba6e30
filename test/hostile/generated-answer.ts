/** Answers made at random: some obey HTTP, some break it in a place or two, some are noise. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import * as fc from '../support/property.ts';
import type { Piece } from '../support/raw-server.ts';

/** An answer as data, so that a failure can print it. */
export interface GeneratedAnswer {
  readonly interim: readonly number[];
  readonly version: string;
  readonly status: number;
  readonly headers: readonly string[];
  readonly framing: 'length' | 'chunked' | 'end' | 'too short' | 'too long' | 'both' | 'bad chunk';
  readonly coding: 'none' | 'gzip' | 'deflate' | 'br' | 'wrong';
  /** Its content, if it differs from that of a good answer. */
  readonly body: string | undefined;
  /** Spaces behind it, where it is JSON. */
  readonly padding: number;
  /** Where it breaks off, as a share of its bytes. */
  readonly until: number;
  /** Bytes that are changed: where, as a share of all, and to what. */
  readonly flips: readonly (readonly [at: number, byte: number])[];
  /** Where it is split into pieces, as shares, and how long each rests: milliseconds. */
  readonly splits: readonly (readonly [at: number, wait: number])[];
  readonly end: 'open' | 'FIN' | 'RST';
}

const rarely = <Value>(odd: fc.Arbitrary<Value>, usual: Value): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });

const share = fc.integer({ min: 0, max: 999 }).map((thousandths) => thousandths / 1000);

/** No length and no encoding: those belong to the framing. */
const HEADERS = [
  'content-type: application/json',
  'connection: close',
  'connection: keep-alive',
  'keep-alive: timeout=0',
  'keep-alive: timeout=5, max=1',
  'retry-after: 0',
  'retry-after: -1',
  'location: http://127.0.0.1:1/elsewhere',
  'set-cookie: a=b',
  'x-empty:',
  '__proto__: x',
  'trailer: x-sum',
  'date: never',
];
const BROKEN_HEADERS = [
  'no colon',
  ': no name',
  'x: \u0000',
  'upgrade: h2c\r\nconnection: upgrade',
  `x: ${'y'.repeat(20_000)}`,
  ' folded',
  'transfer-encoding: gzip',
  'content-length: x',
];

const BODIES = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'null',
    '[]',
    '{}',
    '{"a":1',
    '<html><title>No</title></html>',
    '\u0000',
  ),
  fc.json(),
  fc.string({ unit: 'binary', maxLength: 2_000 }),
  fc.integer({ min: 1, max: 200_000 }).map((length) => '<'.repeat(length)),
  fc
    .constantFrom('message', 'error', 'id')
    .chain((name) => fc.string({ unit: 'binary' }).map((text) => JSON.stringify({ [name]: text }))),
);

const status = fc.oneof(
  { weight: 6, arbitrary: fc.constant(200) },
  { weight: 2, arbitrary: fc.constantFrom(201, 204, 205, 206, 302, 304, 401, 404, 408, 422, 429) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 999 }) },
);

export const generatedAnswer: fc.Arbitrary<GeneratedAnswer> = fc.record({
  interim: rarely(fc.array(fc.constantFrom(100, 102, 103, 101, 199), { maxLength: 3 }), []),
  version: rarely(fc.constantFrom('HTTP/1.0', 'HTTP/2.0', 'HTTP/1.9', 'http/1.1', ''), 'HTTP/1.1'),
  status,
  headers: fc
    .tuple(
      fc.array(fc.constantFrom(...HEADERS), { maxLength: 4 }),
      rarely(
        fc.constantFrom(...BROKEN_HEADERS).map((line) => [line]),
        [],
      ),
    )
    .map((lines) => lines.flat()),
  framing: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom('length' as const, 'chunked' as const, 'end' as const),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...(['too short', 'too long', 'both', 'bad chunk'] as const)),
    },
  ),
  coding: rarely(fc.constantFrom('gzip', 'deflate', 'br', 'wrong'), 'none'),
  body: rarely(BODIES, undefined),
  padding: rarely(fc.integer({ min: 0, max: 600_000 }), 0),
  until: rarely(share, 1),
  flips: rarely(fc.array(fc.tuple(share, fc.integer({ min: 0, max: 255 })), { maxLength: 3 }), []),
  splits: fc.array(fc.tuple(share, fc.integer({ min: 0, max: 3 })), { maxLength: 5 }),
  end: fc.constantFrom('open', 'FIN', 'RST'),
}) as fc.Arbitrary<GeneratedAnswer>;

/**
 * Whether it obeys HTTP and comes whole. Of a reset nothing is promised: it may overtake what was
 * sent before it.
 */
export function isWhole(answer: GeneratedAnswer): boolean {
  const { interim, version, status: code, headers, framing, coding, until, flips, end } = answer;
  const isFramed =
    framing === 'length' ||
    (framing === 'chunked' && version === 'HTTP/1.1') ||
    (framing === 'end' && end === 'FIN');
  return (
    isFramed &&
    // One below 200 comes before an answer.
    code >= 200 &&
    // undici closes the connection after an unasked 100 or 101.
    !interim.some((each) => each === 100 || each === 101) &&
    (version === 'HTTP/1.1' || version === 'HTTP/1.0') &&
    !headers.some((line) => BROKEN_HEADERS.includes(line)) &&
    coding !== 'wrong' &&
    until === 1 &&
    flips.length === 0 &&
    end !== 'RST'
  );
}

/** Whether a call may time out. */
export function mayHang(answer: GeneratedAnswer): boolean {
  return !isWhole(answer) && answer.end === 'open';
}

/** The text that it carries; `good` is what a good answer to this request does. */
export function carriedBy({ body, padding }: GeneratedAnswer, good: string): string {
  return body ?? (/^[[{]/.test(good) ? good + ' '.repeat(padding) : good);
}

/** What goes out on the wire; `good` is what a good answer to this request carries. */
export function piecesOf(answer: GeneratedAnswer, good: string): Piece[] {
  const bytes = bytesOf(answer, good);
  for (const [at, byte] of answer.flips) bytes[Math.floor(at * bytes.length)] = byte;
  const end = Math.round(answer.until * bytes.length);
  const splits = answer.splits.toSorted(([a], [b]) => a - b);
  const pieces: Piece[] = [];
  let from = 0;
  for (const [at, wait] of splits) {
    const to = Math.min(end, Math.floor(at * bytes.length));
    pieces.push(bytes.subarray(from, to), { wait });
    from = to;
  }
  pieces.push(bytes.subarray(from, end));
  return answer.end === 'open' ? pieces : [...pieces, answer.end];
}

function bytesOf(answer: GeneratedAnswer, good: string): Buffer {
  const { interim, version, status: code, headers, framing, coding } = answer;
  const entity = encode(coding, Buffer.from(carriedBy(answer, good)));
  const before = interim.map((each) => `HTTP/1.1 ${each} Interim\r\n\r\n`).join('');
  const lines = [...headers];
  if (coding !== 'none') lines.push(`content-encoding: ${coding === 'wrong' ? 'gzip' : coding}`);
  const isChunked = framing === 'chunked' || framing === 'both' || framing === 'bad chunk';
  if (isChunked) lines.push('transfer-encoding: chunked');
  const off = { 'too short': -3, 'too long': 3, both: 1 }[framing as string] ?? 0;
  if (framing === 'length' || off !== 0) {
    lines.push(`content-length: ${Math.max(0, entity.length + off)}`);
  }
  const shown = String(code).padStart(3, '0');
  const head = `${before}${version} ${shown} Status\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
  const body = isChunked ? chunked(entity, framing === 'bad chunk') : entity;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

function encode(coding: GeneratedAnswer['coding'], bytes: Buffer): Buffer {
  if (coding === 'gzip') return gzipSync(bytes);
  if (coding === 'deflate') return deflateSync(bytes);
  return coding === 'br' ? brotliCompressSync(bytes) : bytes;
}

function chunked(bytes: Buffer, isBad: boolean): Buffer {
  const half = bytes.length >> 1;
  const chunks = [bytes.subarray(0, half), bytes.subarray(half)]
    .flatMap((each) => (each.length > 0 ? [`${each.length.toString(16)}\r\n`, each, '\r\n'] : []))
    .map((each) => Buffer.from(each));
  return Buffer.concat([...chunks, Buffer.from(isBad ? 'x\r\n' : '0\r\n\r\n')]);
}
