import { constants, createReadStream, openSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { interruptible } from './terminal.ts';

/** What is made of a small piece is garbage before the engine looks; of a large one it outlives that. */
const SMALL_PIECE_BYTES = 32_768;

/** The bytes of what stands at a path as they come. Throws `InterruptedError`. */
export async function* pieces(path: string, interrupt: AbortSignal): AsyncGenerator<Uint8Array> {
  const stats = statSync(path);
  const stream = stats.isFIFO()
    ? await openPipe(path)
    : createReadStream(path, { highWaterMark: SMALL_PIECE_BYTES });
  yield* interruptible(stream, interrupt);
}

/**
 * A pipe whose writer may be long in coming. It is polled: a thread that reads it waits for ever, and
 * not even the end of the process would come before the end of that.
 */
async function openPipe(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
