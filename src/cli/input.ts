import { UsageError } from './errors.ts';
import type { Runtime } from './runtime.ts';

/** What the user handed in, and how messages call it. */
export interface UserInput {
  readonly source: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads FILE, or standard input where it is `-` or left out and no terminal. `what` is named when
 * there is neither (exit 2).
 */
export async function readInput(
  runtime: Runtime,
  file: string | undefined,
  what: string,
): Promise<UserInput> {
  if (file !== undefined && file !== '-') return readUserFile(runtime, file);
  if (file === undefined && runtime.stdin.isTerminal) {
    throw new UsageError(`where is ${what}?`, 'give a file, or - for standard input');
  }
  return { source: 'standard input', bytes: await runtime.stdin.readAll() };
}

async function readUserFile(runtime: Runtime, file: string): Promise<UserInput> {
  try {
    return { source: file, bytes: await (await runtime.disk()).readFile(file) };
  } catch (error) {
    throw new UsageError(
      `${file} cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}`,
      undefined,
    );
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES') return 'permission is denied';
  return message;
}
