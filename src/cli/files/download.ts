import type { FileRecord } from '../../contract/index.ts';
import { downloadFiles } from '../../transfer/download.ts';
import { isKey } from '../../transfer/keys.ts';
import { refusePaths } from '../../transfer/local-names.ts';
import type { Context } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { type Destination, destinationOf, pathFor, withoutLinks } from './destination.ts';
import { fileSetOf, runJob, reportEmpty } from './job.ts';
import { rowAndKeys } from './keys.ts';
import { printFiles } from './print-files.ts';
import type { FilesDownloadOptions } from './flags.ts';

export async function runDownload(
  context: Context<FilesDownloadOptions>,
  named: string | undefined,
  more: readonly string[],
): Promise<void> {
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
    return reportEmpty(context, `the ${target.label} row has no files`);
  }
  await download(context, target, destination, wanted, sizes);
}

async function download(
  context: Context<FilesDownloadOptions>,
  target: RowTarget,
  destination: Destination,
  keys: readonly string[],
  sizes: ReadonlyMap<string, number>,
): Promise<void> {
  const { options } = context;
  const overwrite = options.overwrite === true;
  if (destination.kind !== 'stdout') {
    // An invalid key in a listing fails alone and never becomes a path.
    const paths = keys.filter(isKey).map((key) => pathFor(destination, key));
    await refusePaths(await context.disk(), paths, overwrite);
  }
  const fileSet = await fileSetOf(context, target);
  const { concurrency } = options;
  const common = {
    items: keys,
    key: (key: string) => key,
    size: (key: string, record?: FileRecord) => record?.size ?? sizes.get(key) ?? null,
    done: () => 'downloaded' as const,
  };
  if (destination.kind === 'stdout') {
    await runJob<string, FileRecord>(context, {
      ...common,
      isSilent: true,
      run: (events) => printFiles(context, fileSet, keys, events),
    });
    return;
  }
  const pathOf = (key: string): string => pathFor(destination, key);
  await runJob<string, FileRecord>(context, {
    ...common,
    path: (key) => (isKey(key) ? pathOf(key) : key),
    run: (events) =>
      downloadFiles(fileSet, keys, { concurrency, pathFor: pathOf, overwrite, ...events }),
  });
}
