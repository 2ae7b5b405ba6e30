import { addAbortSignal, type Readable } from 'node:stream';
import { InterruptedError, interruptedError } from '../../errors.ts';
import { colorsWith, has256Colors } from '../colors.ts';
import type { InputStream, OutputStream } from './host.ts';

const COLUMNS_WITHOUT_TERMINAL = 80;

/** The data of a stream. An interrupt ends the reading. */
export async function* interruptible(
  stream: Readable,
  interrupt: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* addAbortSignal(interrupt, stream);
  } catch (error) {
    if (interrupt.aborted) throw interruptedError();
    throw error;
  }
}

export function input(stream: InputStream, interrupt: AbortSignal) {
  let isTaken = false;
  return {
    isTerminal: Boolean(stream.isTTY),
    /** It was read as data, at least in part: it can no longer answer questions. */
    get isTaken() {
      return isTaken;
    },
    /** The bytes as they come, however many. Throws `InterruptedError`. */
    stream: () => {
      isTaken = true;
      return interruptible(stream, interrupt);
    },
  };
}

/** How long a reader that takes nothing is waited for after an interrupt. */
const UNREAD_MS = 1000;

/**
 * Standard output or standard error. A closed pipe (`| head`) is not an error. A full disk is
 * reported once, after the work is done, and so is a reader that takes nothing after `interrupt`.
 */
export function output(
  stream: OutputStream,
  interrupt: AbortSignal,
  env: Readonly<NodeJS.ProcessEnv>,
) {
  let broken = false;
  let fault: Error | undefined;
  let taken = 0;
  const waiting = new Set<() => void>();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    broken = true;
    // A closed terminal counts as a closed pipe.
    const isGone = error.code === 'EPIPE' || (error.code === 'EIO' && stream.isTTY);
    if (!isGone) fault ??= error;
  });
  const giveUp = (): void => {
    broken = true;
    fault ??= new InterruptedError('interrupted; the output was not fully read');
    for (const resolve of waiting) resolve();
  };
  interrupt.addEventListener('abort', () => {
    let before = taken;
    const look = (): void => {
      if (waiting.size > 0 && taken === before) giveUp();
      before = taken;
    };
    setInterval(look, UNREAD_MS).unref();
  });
  return {
    isTerminal: Boolean(stream.isTTY),
    // --no-color is read later, and is then set in the environment.
    get colors() {
      return colorsWith(Boolean(stream.isTTY) && !env.NO_COLOR, has256Colors(env));
    },
    /** Of the terminal; 80 if there is none. */
    get columns() {
      return stream.columns || COLUMNS_WITHOUT_TERMINAL;
    },
    /** The reader is gone, or writing failed: further output is discarded. */
    get broken() {
      return broken;
    },
    /** Why writing failed, unless the reader is gone. */
    get fault() {
      return fault;
    },
    /** Resolves when the text was taken: a slow reader slows the writer down. */
    write: (data: string | Uint8Array) =>
      new Promise<void>((resolve) => {
        waiting.add(resolve);
        const done = (): void => {
          taken += 1;
          waiting.delete(resolve);
          resolve();
        };
        if (broken) done();
        else stream.write(data, done);
      }),
  };
}

export type Output = ReturnType<typeof output>;
