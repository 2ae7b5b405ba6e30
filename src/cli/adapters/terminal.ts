import { addAbortSignal, type Readable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { InterruptedError } from '../errors.ts';
import type { Input, Output } from '../runtime.ts';

const COLUMNS_WITHOUT_TERMINAL = 80;

/** What a stream brings. Who interrupts need not wait for its end. */
export async function* interruptible(
  stream: Readable,
  interrupt: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* addAbortSignal(interrupt, stream);
  } catch (error) {
    if (interrupt.aborted) throw new InterruptedError('interrupted; nothing was done');
    throw error;
  }
}

/** Standard input. */
export function input(stream: NodeJS.ReadStream, interrupt: AbortSignal): Input {
  let isTaken = false;
  return {
    isTerminal: Boolean((stream as ReadStream).isTTY),
    get isTaken() {
      return isTaken;
    },
    stream: () => {
      isTaken = true;
      return interruptible(stream as Readable, interrupt);
    },
  };
}

/**
 * Standard output or standard error. A reader that has gone (`| head`) is no error of ours; a disk
 * that is full is told once, after what was to be done has been done.
 */
export function output(stream: NodeJS.WriteStream): Output {
  let broken = false;
  let fault: NodeJS.ErrnoException | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    broken = true;
    if (error.code !== 'EPIPE') fault ??= error;
  });
  return {
    isTerminal: Boolean((stream as WriteStream).isTTY),
    get columns() {
      return (stream as WriteStream).columns || COLUMNS_WITHOUT_TERMINAL;
    },
    get broken() {
      return broken;
    },
    get fault() {
      return fault;
    },
    write: (data) =>
      new Promise((resolve) => {
        if (broken) resolve();
        else stream.write(data, () => resolve());
      }),
  };
}
