import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { InvalidError } from '../../errors.ts';
import type { PathInfo } from '../../ports.ts';
import { colorsWith } from '../colors.ts';
import { printResults } from '../output/print.ts';
import type { Results } from '../output/result.ts';
import {
  type CommandDisk,
  type Context,
  copyWith,
  type Output,
  type OutputPlace,
  type Runtime,
} from '../runtime.ts';

type OutputContext = Context<{ readonly force?: boolean | undefined }>;

/**
 * The place that output to a path goes to. A file with content is replaced with `--force`, or if lectern
 * has written it and nothing has changed it since. Call it before work whose result would be lost.
 *
 * @throws {InvalidError} `local.exists`; `local.output` for a folder, a socket, a link to nothing
 */
export async function outputPlace(context: OutputContext, path: string): Promise<OutputPlace> {
  if (isStandardOutput(path)) return { kind: 'stream', path };
  const disk = await context.disk();
  const place = await disk.outputPlace(path);
  if (place.kind === 'stream' || context.options.force) return place;
  const there = await disk.pathInfo(place.path);
  if (there === undefined || there.size === 0) return place;
  if (await isAsWritten(context, disk, place.path, there)) return place;
  throw new InvalidError(`${path} exists, and was not written by lectern`, {
    code: 'local.exists',
    hint: 'replace it with --force, or give another name',
  });
}

function stateOf({ size, modified, inode }: PathInfo): string {
  return `${size} ${modified} ${inode}`;
}

/** The small file that remembers the state in which a file was written; one for each. */
async function stateFile(runtime: Runtime, written: string): Promise<string> {
  const name = createHash('sha256').update(written).digest('hex').slice(0, 32);
  return join((await runtime.home()).data, 'written', name);
}

/** Whether nothing has changed a file since lectern wrote it. */
async function isAsWritten(
  runtime: Runtime,
  disk: CommandDisk,
  path: string,
  now: PathInfo,
): Promise<boolean> {
  try {
    const file = await stateFile(runtime, disk.absolute(path));
    return (await disk.readFile(file, MAX_BYTES)).toString() === stateOf(now);
  } catch {
    // Missing, damaged, or a home that cannot be read.
    return false;
  }
}

const MAX_BYTES = 256;

async function rememberWritten(runtime: Runtime, disk: CommandDisk, path: string): Promise<void> {
  const state = await disk.pathInfo(path);
  if (state === undefined) return;
  const file = await stateFile(runtime, disk.absolute(path));
  // If this fails, the next time needs --force.
  await disk.writeFile(file, stateOf(state), { secret: true }).catch(() => {});
}

/**
 * Writes to a file that the user names, and returns the number of bytes. A file, also behind a
 * link, is written whole or not at all; standard output (`-`), a pipe or a device gets the bytes as they
 * come. Throws as
 * `outputPlace` does.
 */
export async function writeOutput(
  context: OutputContext,
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
  if (isStandardOutput(path)) {
    for await (const chunk of counted()) await context.stdout.write(chunk);
    return bytes;
  }
  const disk = await context.disk();
  const place = await outputPlace(context, path);
  if (place.kind === 'stream') {
    await disk.writeStream(place.path, counted());
    return bytes;
  }
  const file = await disk.temporaryFile(dirname(place.path), options);
  try {
    for await (const chunk of counted()) await file.write(chunk);
    await file.moveTo(place.path);
    await rememberWritten(context, disk, place.path);
  } finally {
    await file.discard();
  }
  return bytes;
}

/** Prints results to a file that the user names, or returns them for standard output. */
export async function resultsFor<
  Options extends { readonly output?: string; readonly force?: boolean },
>(
  context: Context<Options>,
  results: (context: Context<Options>) => Promise<Results>,
): Promise<Results> {
  const { output } = context.options;
  if (output === undefined || isStandardOutput(output)) return results(context);
  await printTo(context, output, async (to) => printResults(to, await results(to)));
  return {};
}

/** Runs `print` with a file that the user names as its standard output, always in UTF-8. */
export async function printTo<Options extends { readonly force?: boolean | undefined }>(
  context: Context<Options>,
  path: string,
  print: (context: Context<Options>) => Promise<void>,
): Promise<void> {
  if (isStandardOutput(path)) return print(context);
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
  const printed = print(copyWith(context, { stdout })).then(
    () => void pipe.end(),
    (error: Error) => void pipe.destroy(error),
  );
  await Promise.all([writeOutput(context, path, pipe), printed]);
}

/** Whether a file that the user names is standard output. */
export function isStandardOutput(path: string): boolean {
  return ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'].includes(path);
}
