import { addAbortSignal, type Readable } from 'node:stream';
import { InterruptedError } from '../errors.ts';
import type { Input, Output } from '../runtime.ts';
import type { Host, OutputStream } from './host.ts';

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
export function input(stream: Host['stdin'], interrupt: AbortSignal): Input {
  let isTaken = false;
  return {
    isTerminal: Boolean(stream.isTTY),
    get isTaken() {
      return isTaken;
    },
    stream: () => {
      isTaken = true;
      return interruptible(stream, interrupt);
    },
  };
}

/**
 * Standard output or standard error. A reader that has gone (`| head`) is no error of ours; a disk
 * that is full is told once, after what was to be done has been done.
 */
export function output(stream: OutputStream): Output {
  let broken = false;
  let fault: NodeJS.ErrnoException | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    broken = true;
    if (error.code !== 'EPIPE') fault ??= error;
  });
  return {
    isTerminal: Boolean(stream.isTTY),
    get columns() {
      return stream.columns || COLUMNS_WITHOUT_TERMINAL;
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
