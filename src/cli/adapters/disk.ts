import {
  constants,
  createWriteStream,
  existsSync,
  lstatSync,
  openSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { lstat, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createDisk } from '../../disk/disk.ts';
import {
  makeFolder,
  makePrivate,
  PRIVATE_FOLDER_MODE,
  PRIVATE_MODE,
  renameFile,
} from '../../disk/private-file.ts';
import { type DiskFolders, isInside, pathIn, temporaryRoot } from '../../disk/place.ts';
import { fileKindOf, readPlainFile, checkPlainFile } from '../../disk/plain-file.ts';
import {
  isReplacementOf,
  removeAtExit,
  removeStaleFiles,
  replacementPath,
} from '../../disk/stale-files.ts';
import { withStateError } from '../../disk/temporary-file.ts';
import { InterruptedError, InvalidError, StateError, UsageError } from '../../errors.ts';
import type { Clock } from '../../ports.ts';
import type { Host } from './host.ts';
import { readChunks } from './read-chunks.ts';
import { Socket } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sleepUnlessAborted } from '../../clock.ts';
import { reasonOf, unreadable } from '../../disk/open-file.ts';
import { HOSTED_TOOL_ZIPPED } from '../../contract/limits.ts';
import type { UnpackedFile } from '../../zip.ts';

const PLAIN_FILE_MODE = 0o644;

/** The disk: reads what the user names, and writes files whole or not at all. */
export function createCommandDisk(host: Host, interrupt: AbortSignal, clock: Clock) {
  const at = (path: string): string => pathIn(host, path);
  const { platform, folder, temporaryFolder } = host;
  const atExit = (remove: () => void): unknown => host.on('exit', remove);
  return {
    ...createDisk({ platform, folder, temporaryFolder, atExit }),
    /** A plain file of at most `most` bytes: lectern never waits for a file of its own. */
    readFile: async (path: string, most: number): Promise<Uint8Array> =>
      readPlainFile(at(path), most),
    readChunks: (path: string) => readChunks(at(path), interrupt, clock),
    exists: async (path: string) => existsSync(at(path)),
    absolute: (path: string) => resolve(at(path)),
    /** Whether an absolute path, which may not exist yet, is in a folder when links are followed. */
    isInside: async (outer: string, path: string) => isInside(outer, path),
    /** A new empty folder that is removed when lectern ends, unless it is killed. */
    temporaryFolder: async () => {
      const made = await mkdtemp(join(temporaryRoot(host), 'lectern-'));
      host.once('exit', () => removeAtExit(made));
      return made;
    },
    userFile: (name: string) => userFile(temporaryRoot(host), name),
    writeFile: (path: string, data: string | Uint8Array, options?: { secret?: boolean }) =>
      writeWhole(at(path), data, options),
    outputPlace: async (path: string) => outputPlace(host, path),
    writeStream: (path: string, chunks: AsyncIterable<Uint8Array>) =>
      writeStream(at(path), chunks, interrupt, clock),
    glob: (pattern: string) => matches(host, pattern, interrupt),
    zip: (path: string) => zipEntries(at(path)),
  };
}

/** The disk of the engines, with further file operations for commands. */
export type CommandDisk = ReturnType<typeof createCommandDisk>;

/** The files, and links to files, that a glob matches, sorted. */
async function matches(
  { folder = '.', platform }: Host,
  pattern: string,
  interrupt: AbortSignal,
): Promise<string[]> {
  const { findFiles } = await import('../../disk/glob.ts');
  // On Windows a backslash separates folders; elsewhere it quotes.
  const glob = platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern;
  try {
    return await findFiles(folder, glob, interrupt);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new UsageError(`${JSON.stringify(pattern)} is not a valid glob: ${error.message}`);
  }
}

/**
 * The path of a secret file of the user, which may not exist, under any home; undefined if the path
 * belongs to somebody else, is a link, or is open to others.
 */
async function userFile(folder: string, name: string): Promise<string | undefined> {
  // Windows has no user IDs, and a folder for temporary files for each user.
  const path = join(folder, `lectern-${process.getuid?.() ?? 'user'}-${name}`);
  const owner = await ownership(path);
  if (owner === undefined) return path;
  const { isLink, isOwn, mode = PRIVATE_MODE } = owner;
  return isOwn && !isLink && mode === PRIVATE_MODE ? path : undefined;
}

/** Sticky, or writable by everyone: a place like /tmp, which others need. */
const SHARED_FOLDER = 0o1002;

/** Throws `StateError` for a folder that others share: making it private would lock them out. */
export function refuseSharedFolder(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & SHARED_FOLDER) === 0 || process.platform === 'win32') return;
  const shown = (mode & 0o7777).toString(8).padStart(4, '0');
  throw new StateError(
    `${path} is a shared folder (mode ${shown}) and cannot be used for private files`,
    'set LECTERN_HOME to a folder of your own',
  );
}

/** Makes a new or existing folder private to its owner, unless others share it. */
export async function makePrivateFolder(path: string): Promise<void> {
  refuseSharedFolder(path);
  makeFolder(path, PRIVATE_FOLDER_MODE);
  // The mode of somebody else's folder is left alone; doctor reports it.
  if ((await stat(path)).uid === process.getuid?.()) makePrivate(path, PRIVATE_FOLDER_MODE);
  // On a disk without modes, a new folder may be open to all.
  refuseSharedFolder(path);
}

interface WriteOptions {
  /** Mode 0600. */
  readonly secret?: boolean;
  /** The file may be lost in a power failure, so it is not flushed to disk. */
  readonly isExpendable?: boolean;
}

/**
 * Writes to a temporary file in the same folder, flushes it, and renames it. Removes temporary
 * files that a killed process left. Throws `StateError` if writing fails.
 */
export function writeWhole(
  path: string,
  data: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  return withStateError(path, () => replaceFile(path, data, options));
}

async function replaceFile(
  path: string,
  data: string | Uint8Array,
  { secret = false, isExpendable = false }: WriteOptions,
): Promise<void> {
  makeFolder(dirname(path), secret ? PRIVATE_FOLDER_MODE : undefined);
  const temporary = replacementPath(path);
  await removeStaleFiles(dirname(path), isReplacementOf(path));
  try {
    const file = await open(temporary, 'wx', secret ? PRIVATE_MODE : PLAIN_FILE_MODE);
    try {
      await file.writeFile(data);
      if (!isExpendable) await file.sync();
    } finally {
      await file.close();
    }
    await renameFile(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Descriptors that another program has opened: such a file is written to, not replaced. */
const DESCRIPTOR = /^\/(dev\/(fd\/|std(out|err)$)|proc\/(self|\d+)\/fd\/)/;

/** A file to create or replace, behind any link; or a pipe or device to write to. */
export interface OutputPlace {
  readonly kind: 'file' | 'stream';
  readonly path: string;
}

/**
 * The place that output to a path goes to, without creating or opening it; the path is kept as given
 * unless it is a link. Throws `InvalidError` for a folder, a socket, a link to nothing.
 */
function outputPlace(folders: DiskFolders, named: string): OutputPlace {
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

/** Writes to a pipe or device as the bytes come. */
async function writeStream(
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

/**
 * The owner and permission bits of a path itself, without following links; undefined if it does not
 * exist. Windows has no such bits, and everything counts as the user's own.
 */
export async function ownership(path: string) {
  try {
    const stats = await lstat(path);
    const isWindows = process.platform === 'win32';
    return {
      isLink: stats.isSymbolicLink(),
      isOwn: isWindows || stats.uid === process.getuid?.(),
      mode: isWindows ? undefined : stats.mode & 0o777,
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * The files in the zip of a hosted tool. Throws `InvalidError` if it is not a zip or is damaged, and
 * `UsageError` if the file cannot be read.
 */
async function* zipEntries(path: string): AsyncGenerator<UnpackedFile> {
  const { unpackTool, ZipError } = await import('../../zip.ts');
  try {
    yield* unpackTool(bytesOrPath(path));
  } catch (error) {
    if (!(error instanceof ZipError)) throw unreadable(path, error);
    throw new InvalidError(error.message, { code: 'hosted_tool.zip_unreadable' });
  }
}

/** The directory of a zip is read 20 times as fast from memory. A zip above the size limit stays on disk. */
function bytesOrPath(path: string): Buffer | string {
  checkPlainFile(path);
  if (statSync(path).size > HOSTED_TOOL_ZIPPED.bytes) return path;
  return readPlainFile(path, HOSTED_TOOL_ZIPPED.bytes);
}
