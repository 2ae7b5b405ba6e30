import { dirname } from 'node:path';
import { PassThrough } from 'node:stream';
import { UsageError } from '../../errors.ts';
import { colorsWith } from '../output/paint.ts';
import type { Context, Output, Runtime } from '../runtime.ts';

/**
 * Writes to a file that the user names, and returns the number of bytes. A file, also behind a
 * link, is written whole or not at all; a pipe or device gets the bytes as they come. Throws
 * `InvalidError` for anything else.
 */
export async function writeOutput(
  runtime: Runtime,
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: { readonly secret?: boolean } = {},
): Promise<number> {
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  const disk = await runtime.disk();
  const place = await disk.outputPlace(path);
  if (place.kind === 'stream') {
    await disk.writeStream(place.path, counted());
    return bytes;
  }
  const file = await disk.temporaryFile(dirname(place.path), options);
  try {
    for await (const chunk of counted()) await file.write(chunk);
    await file.moveTo(place.path);
  } finally {
    await file.discard();
  }
  return bytes;
}

/** Runs `print` with a file that the user names as its standard output, always in UTF-8. */
export async function printTo<Options>(
  context: Context<Options>,
  path: string | undefined,
  print: (context: Context<Options>) => Promise<void>,
): Promise<void> {
  if (path === '') throw new UsageError('--output needs the name of a file');
  if (path === undefined || isStandardOutput(path)) return print(context);
  const pipe = new PassThrough();
  // An error may come before anything reads from the pipe; the reader gets it then.
  pipe.on('error', () => {});
  const write = (data: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => void pipe.write(data, () => resolve()));
  const stdout: Output = {
    isTerminal: false,
    colors: colorsWith(false),
    columns: context.stdout.columns,
    broken: false,
    fault: undefined,
    write,
  };
  const printed = print(Object.create(context, { stdout: { value: stdout } })).then(
    () => void pipe.end(),
    (error: Error) => void pipe.destroy(error),
  );
  await Promise.all([writeOutput(context, path, pipe), printed]);
}

/** Whether a file that the user names is standard output. */
export function isStandardOutput(path: string): boolean {
  return ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'].includes(path);
}
