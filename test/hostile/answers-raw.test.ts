/** `storage get --raw`: what is not a row is shown as it came, and is no usable answer. */
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { lectern, temporaryFolder } from '../support/lectern.ts';
import { type Piece, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import { commandOf, ok, ROW } from './answering.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Answers');

const PAGE = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Hello</body></html>';
const NO_UTF8 = ['\u0080', '\u00c0\u00af', '\u00e2\u0082', '\u00ed\u00a0\u0080', '\u00ff'];

interface RawAnswer {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly coding?: string;
  /** What is printed: the bytes as they came, unless given. */
  readonly prints?: Uint8Array;
  readonly exit?: number;
  readonly says?: string;
}

const NO_ROW = 'the member row is not a JSON object';
const RAW: readonly RawAnswer[] = [
  ...[PAGE, '', ' ', '[1]', 'null', '{"a":NaN}', '{"a":1', '\ufeff{}', '\u0000\u001b[2J'].map(
    (text) => ({ name: JSON.stringify(text), bytes: Buffer.from(text) }),
  ),
  ...NO_UTF8.map((text) => ({
    name: `invalid UTF-8, ${Buffer.from(text, 'latin1').toString('hex')}`,
    bytes: Buffer.from(`{"x":"${text}"}`, 'latin1'),
  })),
  { name: 'UTF-16', bytes: Buffer.from(ROW, 'utf16le') },
  { name: '5 MB of a page', bytes: Buffer.alloc(5_000_000, PAGE) },
  { name: 'an unknown encoding', bytes: Buffer.from('uryyb'), coding: 'rot13' },
  { name: 'gzip twice', bytes: gzipSync(gzipSync(ROW)), coding: 'gzip, gzip' },
  { name: 'a page in gzip', bytes: gzipSync(PAGE), coding: 'gzip', prints: Buffer.from(PAGE) },
  ...(['gzip', 'deflate', 'br'] as const).map((coding) => ({
    name: `not ${coding} at all`,
    bytes: Buffer.from('uryyb'),
    coding,
    prints: Buffer.alloc(0),
    says: `its body is not valid ${coding}`,
  })),
  {
    name: 'half of gzip',
    bytes: gzipSync(ROW).subarray(0, 20),
    coding: 'gzip',
    prints: Buffer.alloc(0),
    says: 'its body is not valid gzip',
  },
  {
    name: 'a row in gzip',
    bytes: gzipSync(ROW),
    coding: 'gzip',
    prints: Buffer.from(ROW),
    exit: 0,
    says: '',
  },
];

hostile(
  {
    tried: 'storage get --raw of a body that is not a row, or cannot be decoded',
    times: { short: 1, long: 20 },
    size: { short: RAW.length, long: RAW.length },
  },
  async () => {
    let answer: Piece[] = [];
    const { origin } = await startRawServer({ answer: () => answer });
    const home = temporaryFolder();
    const args = [...commandOf('read', launchFile(origin)), '--raw'];
    for (const { name, bytes, coding, prints = bytes, exit = 8, says = NO_ROW } of RAW) {
      answer = [ok(bytes, coding === undefined ? '' : `content-encoding: ${coding}\r\n`)];
      const result = await lectern(args, { home });
      expect([name, result.exit, result.stdoutBytes.equals(prints)]).toEqual([name, exit, true]);
      expect(result.stderr, name).toContain(says);
    }
  },
);
