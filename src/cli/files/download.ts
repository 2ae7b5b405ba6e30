import type { FileRecord } from '../../contract/index.ts';
import { downloadFiles, fetchFile, restart, withTemporary } from '../../transfer/download.ts';
import { type FileSet, isKey } from '../../transfer/file-set.ts';
import { refusePaths } from '../../transfer/local-names.ts';
import type { CommandDisk, Called, Runtime } from '../runtime.ts';
import { type RowTarget, rowTarget } from '../session/resolve-call.ts';
import { emptyResult, fileSetOf, rowAndKeys, runJob } from './job.ts';
import type { DOWNLOAD_FLAGS } from './flags.ts';
import { type BatchEvents, type ItemResult, runPhases } from '../../transfer/batch.ts';
import type { ProgressListener } from '../../transfer/upload.ts';
import { isPlainPipe, refuseJson, writeRawChunks } from '../output/print.ts';
import type { Result } from '../output/result.ts';
import { join } from 'node:path';
import { InvalidError, UsageError } from '../../errors.ts';
import { isStandardOutput } from '../shared/write-output.ts';

export async function runDownload(
  context: Called<typeof DOWNLOAD_FLAGS>,
  named: string | undefined,
  more: readonly string[],
): Promise<Result> {
  const { options } = context;
  const { row, keys } = rowAndKeys(options, [named, ...more]);
  const isSingle = options.all !== true && keys.length === 1;
  const disk = await context.disk();
  const destination = await withoutLinks(disk, destinationOf(context, isSingle));
  const transport = isSingle ? undefined : { connections: options.concurrency };
  const target = await rowTarget(context, 'files', row, transport);
  // The listed sizes are for the progress of many files; a single one has its record.
  const items = isSingle ? [] : (await target.client.listFiles(target.url)).items;
  const sizes = new Map(items.map(({ key, size }) => [key, size]));
  const wanted = options.all ? [...sizes.keys()] : keys;
  if (wanted.length === 0) {
    return emptyResult(`the ${target.label} row has no files`);
  }
  return download(context, target, destination, wanted, sizes);
}

async function download(
  context: Called<typeof DOWNLOAD_FLAGS>,
  target: RowTarget,
  destination: Destination,
  keys: readonly string[],
  sizes: ReadonlyMap<string, number>,
): Promise<Result> {
  const { options } = context;
  const overwrite = options.overwrite === true;
  if (destination.kind !== 'stdout') {
    // An invalid key in a listing fails alone and never becomes a path.
    const paths = keys.filter(isKey).map((key) => pathFor(destination, key));
    await refusePaths(await context.disk(), paths, overwrite);
  }
  const fileSet = await fileSetOf(context, target);
  const { concurrency } = options;
  return runJob<string, FileRecord>(context, {
    items: keys,
    key: (key) => key,
    size: (key, record) => record?.size ?? sizes.get(key) ?? null,
    done: () => 'downloaded',
    isSilent: destination.kind === 'stdout',
    path: (key) => (destination.kind !== 'stdout' && isKey(key) ? pathFor(destination, key) : key),
    run: (events) =>
      destination.kind === 'stdout'
        ? printFiles(context, fileSet, keys, events)
        : downloadFiles(fileSet, keys, {
            concurrency,
            pathFor: (key) => pathFor(destination, key),
            overwrite,
            ...events,
          }),
  });
}

/** Writes files to standard output one after the other, each only after it was received completely. */
async function printFiles(
  runtime: Runtime,
  fileSet: FileSet,
  keys: readonly string[],
  events: BatchEvents<string, FileRecord>,
): Promise<readonly ItemResult<string, FileRecord>[]> {
  const options = { concurrency: 1, signal: fileSet.signal, ...events };
  return runPhases([keys], options, (key) =>
    printFile(runtime, fileSet, key, (bytes, size) => events.onProgress?.(key, bytes, size)),
  );
}

async function printFile(
  runtime: Runtime,
  fileSet: FileSet,
  key: string,
  onProgress: ProgressListener,
): Promise<FileRecord> {
  const { stdout } = runtime;
  const { disk } = fileSet;
  return withTemporary(disk, undefined, async (file) => {
    const record = await fetchFile(fileSet, key, onProgress, () => restart(file));
    const opened = await disk.openFile(file.path, await file.pathInfo());
    try {
      await writeRawChunks(runtime, opened.chunks());
    } finally {
      await opened.close();
    }
    if (stdout.fault) throw stdout.fault;
    return record;
  });
}

/** The destination of downloads: standard output, one file, or a folder with the keys as names. */
type Destination =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly folder: string };

/**
 * Reads the flags. By default a single file goes to standard output if that is a pipe, as in every
 * other command that prints what it reads; else into the current folder.
 */
function destinationOf(context: Called<typeof DOWNLOAD_FLAGS>, isSingle: boolean): Destination {
  const { to, output } = context.options;
  if (to !== undefined && output !== undefined) {
    throw new UsageError('--to and --output cannot be used together');
  }
  if (to === '-') {
    throw new UsageError('--to takes a folder', 'write a file to standard output with: -o -');
  }
  if (to !== undefined) return { kind: 'folder', folder: to };
  if (output === undefined) {
    const isPiped = isSingle && isPlainPipe(context);
    return isPiped ? { kind: 'stdout' } : { kind: 'folder', folder: '.' };
  }
  if (!isSingle)
    throw new UsageError('--output takes a single file', 'use --to DIR for several files');
  if (!isStandardOutput(output)) return { kind: 'file', path: output };
  refuseJson(context, `--output ${output}`);
  return { kind: 'stdout' };
}

/** Resolves links: the file behind a link is replaced, and the link stays. A file is no folder. */
async function withoutLinks(disk: CommandDisk, destination: Destination): Promise<Destination> {
  if (destination.kind === 'folder') {
    const there = await disk.pathInfo(destination.folder, { followLinks: true });
    if (there === undefined || there.kind === 'folder') return destination;
    throw new UsageError(`${destination.folder} is not a folder`, 'name a file with --output FILE');
  }
  if (destination.kind !== 'file') return destination;
  const { kind, path } = await disk.outputPlace(destination.path);
  if (kind === 'file') return { kind, path };
  throw new InvalidError(`${path} is a pipe or a device, not a file`, {
    code: 'local.exists',
    hint: 'write to standard output: -o -',
  });
}

/** The path of a file, for a checked key, which contains no slash and is not `..`. */
function pathFor(destination: Exclude<Destination, { kind: 'stdout' }>, key: string): string {
  return destination.kind === 'file' ? destination.path : join(destination.folder, key);
}
