import { MOST_OF_JSON, wholeUpTo } from './bounded.ts';
import { InterruptedError, UsageError } from './errors.ts';
import type { Runtime } from './runtime.ts';
import { refuseSecret } from './names.ts';

/** What the user handed in, and how messages call it. */
export interface UserInput {
  readonly source: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads FILE, or standard input where it is `-` or left out and no terminal. `what` is named when
 * there is neither (exit 2); more than `most` bytes are refused (exit 3).
 */
export async function readInput(
  runtime: Runtime,
  file: string | undefined,
  what: string,
  most = MOST_OF_JSON,
): Promise<UserInput> {
  if (file === undefined && runtime.stdin.isTerminal) {
    throw new UsageError(`where is ${what}?`, 'give a file, or - for standard input');
  }
  const source = sourceName(file);
  return { source, bytes: await wholeUpTo(most, inputPieces(runtime, file ?? '-'), source) };
}

/** The name that standard input or a file has in messages. */
export function sourceName(file: string | undefined): string {
  return file === undefined || file === '-' ? 'standard input' : file;
}

/** The bytes of FILE, or of standard input where it is `-`, as they come: there may be many. */
export async function* inputPieces(runtime: Runtime, file: string): AsyncGenerator<Uint8Array> {
  if (file === '-') return yield* runtime.stdin.stream();
  const pieces = (await runtime.disk()).pieces(file)[Symbol.asyncIterator]();
  for (;;) {
    const next = await pieces.next().catch((error: unknown) => {
      throw error instanceof InterruptedError ? error : unreadable(file, error);
    });
    if (next.done) return;
    yield next.value;
  }
}

function unreadable(file: string, error: unknown): UsageError {
  // What is no file may be a secret that was pasted in its place, which is not repeated.
  refuseSecret(file);
  return new UsageError(
    `${file} cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}`,
    undefined,
  );
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES') return 'permission is denied';
  return message;
}
