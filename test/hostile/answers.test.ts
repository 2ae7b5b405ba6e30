import { expect } from 'vitest';
import { lectern } from '../support/lectern.ts';
import { type Piece, startRawServer } from '../support/raw-server.ts';
import { launchFile } from '../support/service.ts';
import { hostile } from './support.ts';

hostile(
  { area: 'Answers', tried: 'one byte at a time', times: { short: 1, long: 50 }, limitMs: 20_000 },
  async () => {
    const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{"a":1}';
    const answer = (): Piece[] => [...whole].flatMap((byte) => [byte, { wait: 1 }]);
    const service = await startRawServer({ answer });
    const launch = launchFile(service.origin);
    const result = await lectern(['storage', 'get', 'member', '--raw', '-l', launch]);
    expect([result.exit, result.stdout]).toEqual([0, '{"a":1}']);
    expect(service.requests).toHaveLength(1);
  },
);
