import { closeSync, createReadStream, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import { sleepUnlessAborted } from '../../clock.ts';
import { READ_FLAGS, UnusableFileError } from '../../disk/plain-file.ts';
import { InterruptedError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import { interruptible } from './terminal.ts';

/** What is made of a small piece is garbage before the engine looks; of a large one it outlives that. */
const SMALL_PIECE_BYTES = 32_768;
/** A stream of the system takes longer to be made than so much to be read. */
const SMALL_FILE_BYTES = 256 * 1024;

/**
 * The bytes of what the user named, as they come: a file, a pipe such as `<(…)`, a device. Throws
 * `InterruptedError`, `UnusableFileError` for what would be waited for without an end, and the
 * system's own errors.
 */
export async function* readChunks(
  path: string,
  interrupt: AbortSignal,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  const fd = openSync(path, READ_FLAGS);
  let stream: Readable | undefined;
  try {
    const stats = fstatSync(fd);
    if (stats.isCharacterDevice()) await refuseTerminal(path, fd);
    if (stats.isFIFO()) {
      const first = await firstOfPipe(path, fd, interrupt, clock);
      if (first === undefined) return;
      yield first;
    }
    if (stats.isFile() && stats.size <= SMALL_FILE_BYTES && (yield* smallFile(fd))) return;
    stream = await streamOf(fd, stats);
    yield* interruptible(stream, interrupt);
  } finally {
    // A stream closes what it reads.
    if (stream === undefined) closeSync(fd);
  }
}

/** Reads on from where a file stands; whether that was its end. One that grows is left to a stream. */
function* smallFile(fd: number): Generator<Uint8Array, boolean> {
  for (let total = 0; total <= SMALL_FILE_BYTES;) {
    const piece = Buffer.allocUnsafe(SMALL_PIECE_BYTES);
    const size = readSync(fd, piece);
    if (size === 0) return true;
    total += size;
    yield piece.subarray(0, size);
  }
  return false;
}

async function refuseTerminal(path: string, fd: number): Promise<void> {
  const { isatty } = await import('node:tty');
  if (isatty(fd)) throw new UnusableFileError(path, 'it is a terminal; use "-" for standard input');
}

/** A pipe is polled: a thread that reads it waits for ever, and the process for the thread. */
async function streamOf(fd: number, stats: Stats): Promise<Readable> {
  if (!stats.isFIFO()) return createReadStream('', { fd, highWaterMark: SMALL_PIECE_BYTES });
  const { Socket } = await import('node:net');
  return new Socket({ fd, readable: true, writable: false });
}

/** A program that writes to a named pipe may still be starting. */
const PATIENCE_MS = 5_000;
const POLL_MS = 25;
const NOTHING_YET = new Uint8Array();
/** A pipe that a shell made for `<(…)`: its writer has it open before lectern starts. */
const OF_SHELL = /^\/(dev\/(fd\/|stdin$)|proc\/)/;

/**
 * What a pipe holds when its writer is there, perhaps nothing yet; undefined where nothing will come.
 * Linux tells of a pipe's end only who saw its writer: who opens it later would wait for ever.
 */
async function firstOfPipe(
  path: string,
  fd: number,
  interrupt: AbortSignal,
  clock: Clock,
): Promise<Uint8Array | undefined> {
  const isOfShell = OF_SHELL.test(path);
  // Elsewhere that is not opened anew: its end is told, and to read it may wait.
  if (isOfShell && process.platform !== 'linux') return NOTHING_YET;
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    const first = readNow(fd);
    if (first !== undefined) return first;
    if (isOfShell) return undefined;
    await sleepUnlessAborted(clock, POLL_MS, interrupt);
    if (interrupt.aborted) throw new InterruptedError('interrupted; nothing was done');
  }
  throw new UnusableFileError(path, 'no program is writing to this named pipe');
}

/** What a pipe holds; undefined where no program has it open for writing. */
function readNow(fd: number): Uint8Array | undefined {
  const piece = Buffer.allocUnsafe(SMALL_PIECE_BYTES);
  try {
    const size = readSync(fd, piece);
    return size === 0 ? undefined : piece.subarray(0, size);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return NOTHING_YET;
    throw error;
  }
}
