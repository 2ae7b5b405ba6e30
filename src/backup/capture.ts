import { NoAnswer, Refusal } from '../client/index.ts';
import { checkObject, type FileItem, type FileRecord, type RowName } from '../contract/index.ts';
import { InterruptedError } from '../errors.ts';
import type { Disk } from '../ports.ts';
import { bytesOf, type RowAddress } from '../rows/row.ts';
import { type BatchEvents, type ItemResult, runPhases, stopsBatch } from '../transfer/batch.ts';
import { retryOn429 } from '../transfer/calls.ts';
import { downloadFile } from '../transfer/download.ts';
import { type FileSet, isKey, refuseBadKey } from '../transfer/file-set.ts';
import { refuseNames } from '../transfer/local-names.ts';

/** A row to read; its files too if `files` is given. */
export interface RowSource {
  readonly name: RowName;
  readonly row: RowAddress & Pick<FileSet, 'clock' | 'signal'>;
  readonly files?: Omit<FileSet, 'disk'> | undefined;
}

/** A file of a captured row; `path` has its bytes, where they were read. */
export interface CapturedFile extends Pick<FileRecord, 'key' | 'size' | 'modified'> {
  readonly content_type: string;
  readonly path?: string;
}

/** A row as it was read. */
export interface CapturedRow {
  readonly name: RowName;
  readonly bytes: Uint8Array;
  readonly files: readonly CapturedFile[];
}

/** A row or file that the service refused; `status` of a row. */
export interface LeftOut {
  readonly row: RowName;
  readonly key?: string;
  readonly status?: number;
  readonly reason: string;
}

export interface CaptureOptions extends BatchEvents<FileItem, unknown> {
  readonly disk: Disk;
  /** Where the bytes of a file go; without it they are not read. */
  readonly pathFor: ((row: RowName, key: string) => string) | undefined;
  /** Leaves out rows that are not JSON objects. */
  readonly areObjects?: true;
  /** Leaves no file out but those that are refused. */
  readonly isWhole?: true;
}

/**
 * Reads rows and the records of their files, and with `pathFor` their bytes, readable by the owner
 * only. A row that the service refuses with 403, 404 or 422 is left out, and so is a file that is not
 * read. A file that an earlier capture has downloaded whole is not read again. Only reads are sent.
 *
 * @throws {Refusal} no row is readable, or the token has ended
 * @throws what the client throws for a row, and with `isWhole` for a file
 */
export async function captureRows(
  sources: readonly RowSource[],
  options: CaptureOptions,
): Promise<{ rows: CapturedRow[]; leftOut: LeftOut[] }> {
  const rows: CapturedRow[] = [];
  const leftOut: LeftOut[] = [];
  for (const each of await readSources(sources)) {
    const row = each.source.name;
    if ('refusal' in each) {
      leftOut.push({ row, status: each.refusal.status, reason: reasonOf(each.refusal) });
    } else if (options.areObjects && checkObject(each.bytes) !== undefined) {
      leftOut.push({ row, reason: 'it is not a JSON object' });
    } else {
      const files: CapturedFile[] = [];
      if (each.ofFiles) leftOut.push({ row, reason: `its files: ${reasonOf(each.ofFiles)}` });
      for (const result of await readFiles(each, options)) {
        if (result.status === 'done') files.push(result.value);
        else leftOut.push({ row, key: result.item.key, reason: (result.error as Error).message });
      }
      rows.push({ name: row, bytes: each.bytes, files });
    }
  }
  return { rows, leftOut };
}

/** A row as it was read, with the listing of its files. */
interface ReadRow {
  readonly source: RowSource;
  readonly bytes: Uint8Array;
  readonly items: readonly FileItem[];
  /** Why the service refused the listing alone. */
  readonly ofFiles: Refusal | undefined;
}

/** Why the service refused a row. */
interface RefusedRow {
  readonly source: RowSource;
  readonly refusal: Refusal;
}

async function readSources(sources: readonly RowSource[]): Promise<(ReadRow | RefusedRow)[]> {
  const read = await Promise.all(sources.map(readSource));
  const [first] = read;
  if (first !== undefined && 'refusal' in first && read.every((each) => 'refusal' in each)) {
    throw first.refusal;
  }
  return read;
}

const UNREADABLE = new Set([403, 404, 422]);

async function readSource(source: RowSource): Promise<ReadRow | RefusedRow> {
  const { row, files } = source;
  const read = await orRefusal(retryOn429(row, () => row.client.readStored(row.url)));
  if (read instanceof Refusal) return { source, refusal: read };
  const listed =
    files && (await orRefusal(retryOn429(row, () => files.client.listFiles(files.url))));
  const ofFiles = listed instanceof Refusal ? listed : undefined;
  const items = listed === undefined || listed instanceof Refusal ? [] : listed.items;
  return { source, bytes: bytesOf(read), items, ofFiles };
}

function isUnreadable(error: unknown): error is Refusal {
  return error instanceof Refusal && UNREADABLE.has(error.status);
}

async function orRefusal<Value>(read: Promise<Value>): Promise<Value | Refusal> {
  return read.catch((error: unknown) => {
    if (isUnreadable(error)) return error;
    throw error;
  });
}

function reasonOf({ status, text }: Refusal): string {
  return `the service answered ${status}${text === '' ? '' : `: ${text}`}`;
}

async function readFiles(
  { source: { name, files }, items }: ReadRow,
  { disk, pathFor, isWhole, ...events }: CaptureOptions,
): Promise<ItemResult<FileItem, CapturedFile>[]> {
  if (files === undefined) return [];
  const fileSet: FileSet = { ...files, disk: privateDisk(disk) };
  const { client, url, signal } = fileSet;
  const pathOf = ({ key }: FileItem): string | undefined => pathFor?.(name, key);
  await refuseNames(
    fileSet.disk,
    items.filter(({ key }) => isKey(key)).flatMap((item) => pathOf(item) ?? []),
  );
  const results = await runPhases([items], { concurrency: 4, signal, ...events }, async (item) => {
    refuseBadKey(item.key);
    const path = pathOf(item);
    const { record } =
      path === undefined || (await isDownloaded(disk, path, item))
        ? await retryOn429(fileSet, () => client.fileRecord(url, item.key))
        : await downloadFile(fileSet, item.key, path, {
            onProgress: (bytes, size) => events.onProgress?.(item, bytes, size),
            // An older version of it may be there.
            check: async () => {},
          });
    const { key, size, modified, content_type } = record;
    return { key, size, modified, content_type, ...(path !== undefined && { path }) };
  });
  if (signal.aborted) throw new InterruptedError('interrupted; not everything was read');
  for (const result of results) {
    if (result.status === 'done' || !(isWhole || stopsBatch(result))) continue;
    if (!isKey(result.item.key) || isUnreadable(result.error)) continue;
    const { error, item } = result;
    if (!(error instanceof NoAnswer)) throw error;
    throw new NoAnswer(`${name} ${item.key}: ${error.message}`, error, { cause: error });
  }
  return results;
}

/** The same disk, whose new files and folders are readable by their owner only. */
export function privateDisk(disk: Disk): Disk {
  return {
    ...disk,
    temporaryFile: (folder, options) => disk.temporaryFile(folder, { ...options, secret: true }),
  };
}

/** A download gets the date of the row's file, and is in place only when it is whole. */
async function isDownloaded(disk: Disk, path: string, item: FileItem): Promise<boolean> {
  const facts = await disk.pathInfo(path);
  return facts?.size === item.size && Math.round(facts.modified) === item.modified;
}
