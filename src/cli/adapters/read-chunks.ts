import { closeSync, fstatSync, openSync, read, readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { sleepUnlessAborted } from '../../clock.ts';
import { READ_FLAGS, UnusableFileError } from '../../disk/plain-file.ts';
import { interruptedError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import { interruptible } from './terminal.ts';

/** Larger chunks outlive V8's young generation, and use several times as much memory. */
const PIECE_BYTES = 32_768;

const readPart = promisify(read);

/**
 * The bytes of a path that the user named: a file, a pipe such as `<(…)`, or a device. Throws
 * `InterruptedError`, `UnusableFileError` for a terminal or a pipe without a writer, and the errors
 * of the system.
 */
export async function* readChunks(
  path: string,
  interrupt: AbortSignal,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  const fd = openSync(path, READ_FLAGS);
  let socket: Socket | undefined;
  try {
    const stats = fstatSync(fd);
    if (stats.isCharacterDevice()) await refuseTerminal(path, fd);
    if (stats.isFIFO()) {
      const first = await firstOfPipe(path, fd, interrupt, clock);
      if (first === undefined) return;
      yield first;
      const { Socket: Polled } = await import('node:net');
      // A thread that reads an empty pipe would keep the process from ending; a socket is polled instead.
      socket = new Polled({ fd, readable: true, writable: false });
      yield* interruptible(socket, interrupt);
    } else yield* readPieces(fd, interrupt);
  } finally {
    // A socket closes its descriptor.
    if (socket === undefined) closeSync(fd);
  }
}

async function* readPieces(fd: number, interrupt: AbortSignal): AsyncGenerator<Uint8Array> {
  for (;;) {
    if (interrupt.aborted) throw interruptedError();
    const { bytesRead, buffer } = await readPart(fd, {
      buffer: Buffer.allocUnsafe(PIECE_BYTES),
    });
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

async function refuseTerminal(path: string, fd: number): Promise<void> {
  const { isatty } = await import('node:tty');
  if (isatty(fd)) throw new UnusableFileError(path, 'it is a terminal; use "-" for standard input');
}

/** A program that writes to a named pipe may still be starting. */
const PATIENCE_MS = 5_000;
const POLL_MS = 25;
const NOTHING_YET = new Uint8Array();
/** A pipe that a shell made for `<(…)`. Its writer has opened it before lectern starts. */
const OF_SHELL = /^\/(dev\/(fd\/|stdin$)|proc\/)/;

/**
 * Waits for the writer of a pipe. Returns the first bytes, possibly none yet; undefined if the
 * writer is already gone. Linux reports the end of a pipe only to a reader that has seen a writer:
 * a later reader would wait forever.
 */
async function firstOfPipe(
  path: string,
  fd: number,
  interrupt: AbortSignal,
  clock: Clock,
): Promise<Uint8Array | undefined> {
  const isOfShell = OF_SHELL.test(path);
  // Other systems report the end to any reader, and a read may block.
  if (isOfShell && process.platform !== 'linux') return NOTHING_YET;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    const first = readNow(fd);
    if (first !== undefined) return first;
    if (isOfShell) return undefined;
    await sleepUnlessAborted(clock, POLL_MS, interrupt);
    if (interrupt.aborted) throw interruptedError();
  }
  throw new UnusableFileError(path, 'no program is writing to this named pipe');
}

/** The available bytes of a pipe; undefined if no program has it open for writing. */
function readNow(fd: number): Uint8Array | undefined {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    const size = readSync(fd, piece);
    return size === 0 ? undefined : piece.subarray(0, size);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return NOTHING_YET;
    throw error;
  }
}
