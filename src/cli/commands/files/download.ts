import type { Command } from 'commander';
import type { FileRecord } from '../../../contract/index.ts';
import {
  type Destination,
  type DestinationFlags,
  destinationOf,
  pathFor,
  refusePaths,
} from '../../files/destination.ts';
import { downloadFile, printFile } from '../../files/download.ts';
import { addConcurrency, FILES_ARGUMENT } from '../../files/flags.ts';
import { runJob, tellNothing } from '../../files/job.ts';
import { isKey, namedKeys, refuseBadKey } from '../../files/keys.ts';
import type { Runtime } from '../../runtime.ts';
import { rowAndRest, rowTarget, type RowTarget } from '../../target.ts';

interface DownloadOptions extends DestinationFlags {
  readonly all?: boolean;
  readonly concurrency: number;
}

export function registerDownload(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('download')
    .summary('download files')
    .description(
      'Download files: each whole or not at all. One file goes to standard output where that is a pipe, else into the current folder.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key...]', 'the keys of the files')
    .option('--all', 'every file of the row')
    .option('--to <folder>', 'the folder to put them in, under their keys')
    .option('-o, --output <file>', 'the file to write one to; - is standard output')
    .option('--overwrite', 'replace files that exist');
  addConcurrency(command).action(async (row, keys, _options, called: Command) => {
    await runDownload(runtime, called.optsWithGlobals(), [row, ...keys]);
  });
}

async function runDownload(
  runtime: Runtime,
  options: DownloadOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, ...named] = rowAndRest(options, args);
  const keys = namedKeys(options, named);
  const isSingle = options.all !== true && keys.length === 1;
  const destination = destinationOf(runtime, options, isSingle);
  const transport = isSingle ? undefined : { connections: options.concurrency };
  const target = await rowTarget(runtime, options, 'files', row, transport);
  // The sizes tell how long many files will take; of a single one the record tells it.
  const items = isSingle ? [] : (await target.client.listFiles(target.url)).items;
  const sizes = new Map(items.map(({ key, size }) => [key, size]));
  const wanted = options.all ? [...sizes.keys()] : keys;
  if (wanted.length === 0) {
    return tellNothing(runtime, options, `the ${target.label} row has no files`);
  }
  await download(runtime, options, target, destination, wanted, sizes);
}

async function download(
  runtime: Runtime,
  options: DownloadOptions,
  { client, url: filesUrl }: RowTarget,
  destination: Destination,
  keys: readonly string[],
  sizes: ReadonlyMap<string, number>,
): Promise<void> {
  const overwrite = options.overwrite === true;
  if (destination.kind !== 'stdout') {
    // A bad key in a listing fails alone: no path is made of it.
    const paths = keys.filter(isKey).map((key) => pathFor(destination, key));
    await refusePaths(runtime, paths, overwrite);
  }
  await runJob<string, FileRecord>(runtime, options, {
    phases: [keys],
    concurrency: options.concurrency,
    key: (key) => key,
    size: (key, record) => record?.size ?? sizes.get(key) ?? null,
    ...(destination.kind === 'stdout'
      ? { isSilent: true }
      : { path: (key: string) => (isKey(key) ? pathFor(destination, key) : key) }),
    done: () => 'downloaded',
    work: async (key, moved) => {
      refuseBadKey(key);
      const transfer = { runtime, client, filesUrl, moved };
      return destination.kind === 'stdout'
        ? printFile(transfer, key)
        : downloadFile(transfer, key, pathFor(destination, key), overwrite);
    },
  });
}
