import { UnusableFileError } from '../../disk/plain-file.ts';
import { isSecretName } from '../../contract/secrets.ts';
import { refuseSecret } from '../arguments/secrets.ts';
import { UsageError, InterruptedError, interruptedError, InvalidError } from '../../errors.ts';
import type { Runtime } from '../runtime.ts';
import { MAX_JSON_BYTES } from '../sizes.ts';
import type { Disk, TemporaryFile } from '../../ports.ts';

/** Input from the user, and its name in messages. */
export interface UserInput {
  readonly source: string;
  readonly bytes: Uint8Array;
}

/** The maximum size of a grade file, which is read in flat memory: far more than ten million rows. */
const MAX_GRADES_BYTES = 4 * 1024 ** 3;
/**
 * Reads FILE, or standard input if it is `-`, or left out and not a terminal. With neither, the
 * error (exit 2) names `what`; more than `most` bytes are refused (exit 3).
 */
export async function readInput(
  runtime: Runtime,
  file: string | undefined,
  what: string,
  most = MAX_JSON_BYTES,
): Promise<UserInput> {
  if (file === undefined && runtime.stdin.isTerminal) {
    throw new UsageError(`no input for ${what}`, 'give a file, or - for standard input');
  }
  const source = sourceName(file);
  const pieces: Uint8Array[] = [];
  for await (const piece of inputChunks(runtime, file ?? '-', most)) pieces.push(piece);
  return { source, bytes: Buffer.concat(pieces) };
}

export function sourceName(file: string | undefined): string {
  return file === undefined || file === '-' ? 'standard input' : file;
}

/**
 * The bytes of FILE, or of standard input if it is `-`, as they come. An interrupt may end the
 * reading anywhere, since nothing is done before its end. Throws `InvalidError` as soon as there are
 * more than `most`, since the total is unknown.
 */
export async function* inputChunks(
  runtime: Runtime,
  file: string,
  most = Infinity,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of sourceChunks(runtime, file)) {
    if (runtime.interrupt.aborted) break;
    size += piece.length;
    if (size > most) throw tooLarge(sourceName(file), most);
    yield piece;
  }
  if (runtime.interrupt.aborted) throw interruptedError();
}

export function tooLarge(source: string, most: number): InvalidError {
  return new InvalidError(`${source} has more than ${most} bytes; the rest was not read`, {
    code: 'input.too_large',
    hint: 'no valid input is this large; check that it is the right file',
  });
}

/** The bytes of a grade file as they come, like `inputChunks`, up to the maximum size. */
export function gradeChunks(runtime: Runtime, file: string): AsyncGenerator<Uint8Array> {
  return inputChunks(runtime, file, MAX_GRADES_BYTES);
}

async function* sourceChunks(runtime: Runtime, file: string): AsyncGenerator<Uint8Array> {
  if (file === '-' && runtime.stdin.isTaken) {
    throw new UsageError('standard input is given twice', 'give a file for one of them');
  }
  try {
    yield* file === '-' ? runtime.stdin.stream() : (await runtime.disk()).readChunks(file);
  } catch (error) {
    throw error instanceof InterruptedError ? error : unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): UsageError {
  if (/^\s*[[{]/.test(file) && !isSecretName(file)) {
    const hint = 'write it to a file, or pass it on standard input: -';
    return new UsageError('JSON is not accepted as an argument', hint);
  }
  // If it is not a file it may be a pasted secret, which is not repeated.
  refuseSecret(file);
  const reason =
    error instanceof UnusableFileError ? error.reason : reasonOf(error as NodeJS.ErrnoException);
  return new UsageError(`${sourceName(file)} cannot be read: ${reason}`);
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EISDIR') return 'is a folder';
  if (code === 'EACCES') return 'permission denied';
  return message;
}

/** Writes data of unknown size to a temporary file, which the caller discards. */
export async function spool(disk: Disk, chunks: AsyncIterable<Uint8Array>): Promise<TemporaryFile> {
  const file = await disk.temporaryFile();
  try {
    for await (const chunk of chunks) await file.write(chunk);
    return file;
  } catch (error) {
    await file.discard();
    throw error;
  }
}
