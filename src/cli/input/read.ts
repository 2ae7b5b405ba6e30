import { UnusableFileError } from '../../disk/plain-file.ts';
import { isSecretName, refuseSecret } from '../arguments/secrets.ts';
import { UsageError } from '../../errors.ts';
import { InterruptedError } from '../../errors.ts';
import type { Runtime } from '../runtime.ts';
import { MAX_GRADES_BYTES, MAX_JSON_BYTES, limitBytes, readBytes } from './limit.ts';

/** Input from the user, and its name in messages. */
export interface UserInput {
  readonly source: string;
  readonly bytes: Uint8Array;
}

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
  return { source, bytes: await readBytes(most, inputChunks(runtime, file ?? '-'), source) };
}

export function sourceName(file: string | undefined): string {
  return file === undefined || file === '-' ? 'standard input' : file;
}

/**
 * The bytes of FILE, or of standard input if it is `-`, as they come: there may be many. An
 * interrupt may end the reading anywhere, since nothing is done before its end.
 */
export async function* inputChunks(runtime: Runtime, file: string): AsyncGenerator<Uint8Array> {
  for await (const piece of sourceChunks(runtime, file)) {
    if (runtime.interrupt.aborted) break;
    yield piece;
  }
  if (runtime.interrupt.aborted) throw new InterruptedError('interrupted; nothing was done');
}

/** The bytes of a grade file as they come, like `inputChunks`, up to the maximum size. */
export function gradeChunks(runtime: Runtime, file: string): AsyncGenerator<Uint8Array> {
  return limitBytes(MAX_GRADES_BYTES, inputChunks(runtime, file), sourceName(file));
}

async function* sourceChunks(runtime: Runtime, file: string): AsyncGenerator<Uint8Array> {
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
