import { constants, createWriteStream, lstatSync, openSync, realpathSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sleepUnlessAborted } from '../../clock.ts';
import { fileKindOf } from '../../disk/plain-file.ts';
import { type DiskFolders, pathIn } from '../../disk/place.ts';
import { reasonOf } from '../../disk/system-error.ts';
import { InterruptedError, InvalidError, StateError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import type { OutputPlace } from '../runtime.ts';

/** Descriptors that another program has opened: such a file is written to, not replaced. */
const DESCRIPTOR = /^\/(dev\/(fd\/|std(out|err)$)|proc\/(self|\d+)\/fd\/)/;

/** See `CommandDisk.outputPlace`. The path is kept as given unless it is a link. */
export function outputPlace(folders: DiskFolders, named: string): OutputPlace {
  const path = pathIn(folders, named);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined && isLink) throw unusable(named, 'a link to nothing');
  if (stats?.isFIFO() || stats?.isCharacterDevice() || DESCRIPTOR.test(path)) {
    return { kind: 'stream', path };
  }
  if (stats && !stats.isFile()) throw unusable(named, fileKindOf(stats));
  return { kind: 'file', path: isLink ? realpathSync(path) : named };
}

function unusable(path: string, kind: string): InvalidError {
  return new InvalidError(`${path} cannot be written to: it is ${kind}`, {
    code: 'local.output',
    hint: 'give the path of a file',
  });
}

/** See `CommandDisk.writeStream`. */
export async function writeStream(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  interrupt: AbortSignal,
  clock: Clock,
): Promise<void> {
  try {
    const stream = await openStream(path, interrupt, clock);
    await pipeline(Readable.from(chunks), stream, { signal: interrupt });
  } catch (error) {
    if (interrupt.aborted) throw new InterruptedError('interrupted; the output is incomplete');
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const message = `${path} cannot be written to: ${reasonOf(error)}`;
    throw new StateError(message, undefined, { cause: error });
  }
}

const FLAGS = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOCTTY ?? 0);

async function openStream(path: string, interrupt: AbortSignal, clock: Clock): Promise<Writable> {
  if (!statSync(path).isFIFO()) return createWriteStream('', { fd: openSync(path, FLAGS) });
  return new Socket({
    fd: await openPipe(path, interrupt, clock),
    writable: true,
    readable: false,
  });
}

/** A program that reads from a named pipe may still be starting. */
const PATIENCE_MS = 5_000;
const POLL_MS = 25;

/** Without a reader, a plain `open` would block a thread that no signal reaches. */
async function openPipe(path: string, interrupt: AbortSignal, clock: Clock): Promise<number> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    try {
      return openSync(path, FLAGS | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await sleepUnlessAborted(clock, POLL_MS, interrupt);
    interrupt.throwIfAborted();
  }
  throw new StateError(
    `${path} cannot be written to: no program is reading from this named pipe`,
    'start the reader first',
  );
}
