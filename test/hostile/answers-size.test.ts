/** Answers of every size, as fast and as slow as the loopback allows, through the built binary. */
import { expect } from 'vitest';
import { binary } from '../support/binary.ts';
import { type Piece, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import { hostileCases } from './support.ts';

const hostile = hostileCases('Answers');

const MB = 1_000_000;

/** A JSON object of this many bytes. */
function rowOf(bytes: number): Buffer {
  const head = '{"a":"';
  return Buffer.from(`${head}${'x'.repeat(bytes - head.length - 2)}"}`);
}

/** The ways in which bytes come: at once, in large pieces, in small ones with a rest after each. */
const PACES: Readonly<Record<string, (bytes: Buffer) => Iterable<Piece>>> = {
  'at once': (bytes) => [bytes],
  'in pieces': (bytes) => pieces(bytes, 65_537),
  *slowly(bytes) {
    for (const piece of pieces(bytes, Math.max(997, bytes.length >> 10))) {
      yield piece;
      yield { wait: 0 };
    }
  },
};

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const MEGABYTES = [0.1, 0.5, 1, 5, 20, 60];
/** The short form has the smallest and the largest. */
const isEnd = (each: number): boolean => each === MEGABYTES.at(0) || each === MEGABYTES.at(-1);

for (const megabytes of MEGABYTES) {
  for (const [pace, piecesOf] of Object.entries(PACES)) {
    hostile(
      {
        tried: `an answer of ${megabytes} MB, ${pace}`,
        times: { short: isEnd(megabytes) && pace === 'in pieces' ? 1 : 0, long: 50 },
      },
      async () => {
        const row = rowOf(megabytes * MB);
        const service = await startRawServer({
          *answer() {
            yield `HTTP/1.1 200 OK\r\ncontent-length: ${row.length}\r\n\r\n`;
            yield* piecesOf(row);
          },
        });
        const launch = launchFile(service.origin);
        const result = await binary(['storage', 'get', 'member', '--raw', '-l', launch]);
        expect([result.exit, result.stderr]).toEqual([0, '']);
        expect(result.stdoutBytes.equals(row)).toBe(true);
        expect(service.requests).toHaveLength(1);
      },
    );
  }
}
