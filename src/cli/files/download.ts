import type { FileRecord } from '../../contract/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import type { Runtime } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import {
  type Destination,
  type DestinationFlags,
  destinationOf,
  pathFor,
  refusePaths,
  refuseTaken,
} from './destination.ts';
import { downloadFile, printFile } from './download-file.ts';
import { runJob, tellNothing } from './job.ts';
import { isKey, namedKeys, refuseBadKey } from './keys.ts';

interface DownloadOptions extends DestinationFlags {
  readonly all?: boolean;
  readonly concurrency: number;
}

export async function runDownload(
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
      if (destination.kind === 'stdout') return printFile(transfer, key);
      const path = pathFor(destination, key);
      const disk = await runtime.disk();
      return downloadFile(transfer, key, path, () => refuseTaken(disk, path, overwrite));
    },
  });
}
