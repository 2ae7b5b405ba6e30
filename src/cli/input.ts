import { UsageError } from './errors.ts';
import type { Runtime } from './runtime.ts';
import { refuseSecret } from './target.ts';

/**
 * The bytes of FILE; of standard input for `-`, or where no file is given and somebody pipes.
 * `what` names the content for the error that a terminal gets.
 */
export async function readInput(
  runtime: Runtime,
  file: string | undefined,
  what: string,
): Promise<Uint8Array> {
  if (file === '-') return runtime.stdin.readAll();
  if (file !== undefined) return readNamed(runtime, file);
  if (!runtime.stdin.isTerminal) return runtime.stdin.readAll();
  throw new UsageError(`no ${what} is given`, 'name a file, or - for standard input');
}

/** The name that standard input or a file has in messages. */
export function sourceName(file: string | undefined): string {
  return file === undefined || file === '-' ? 'standard input' : file;
}

async function readNamed(runtime: Runtime, file: string): Promise<Uint8Array> {
  const disk = await runtime.disk();
  if (!(await disk.exists(file))) {
    refuseSecret(file);
    throw new UsageError(`there is no file ${JSON.stringify(file)}`);
  }
  try {
    return await disk.readFile(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EISDIR' ? 'it is a folder' : (code ?? String(error));
    throw new UsageError(`${file} cannot be read: ${why}`);
  }
}
