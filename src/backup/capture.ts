import { join } from 'node:path';
import { checkObject, type FileItem, type FileRecord, type RowName } from '../contract/index.ts';
import { InterruptedError } from '../errors.ts';
import type { Disk } from '../ports.ts';
import { type BatchEvents, type ItemResult, runPhases, stopsBatch } from '../transfer/batch.ts';
import { downloadFile } from '../transfer/download.ts';
import { type FileSet, isKey } from '../transfer/file-set.ts';
import { refuseNames } from '../transfer/local-names.ts';
import { type BackupSource, privateDisk, readSources, refusalText } from './backup.ts';

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
  /** The folder for the bytes of files, which are left out without it. */
  readonly folder: string | undefined;
}

/**
 * Reads rows and the records of their files, and with a folder their bytes, as `ROW/KEY` below it. A
 * file that an earlier capture has downloaded whole is not read again. Only reads are sent.
 *
 * @throws {Refusal} no row is readable, or the token has ended
 */
export async function captureRows(
  sources: readonly BackupSource[],
  options: CaptureOptions,
): Promise<{ rows: CapturedRow[]; leftOut: LeftOut[] }> {
  const rows: CapturedRow[] = [];
  const leftOut: LeftOut[] = [];
  for (const each of await readSources(sources)) {
    const { name, files } = each.source;
    if ('refusal' in each) {
      leftOut.push({ row: name, status: each.refusal.status, reason: refusalText(each) });
      continue;
    }
    const { bytes, items } = each;
    if (checkObject(bytes) !== undefined) {
      leftOut.push({ row: name, reason: 'it is not a JSON object' });
      continue;
    }
    const results = files ? await readFiles({ ...files, name }, items, options) : [];
    const captured: CapturedFile[] = [];
    for (const result of results) {
      if (result.status === 'done') captured.push(result.value);
      else {
        const reason = (result.error as Error).message;
        leftOut.push({ row: name, key: result.item.key, reason });
      }
    }
    rows.push({ name, bytes, files: captured });
  }
  return { rows, leftOut };
}

async function readFiles(
  { name, ...source }: Omit<FileSet, 'disk'> & { readonly name: RowName },
  items: readonly FileItem[],
  { disk, folder, ...events }: CaptureOptions,
): Promise<ItemResult<FileItem, CapturedFile>[]> {
  const files: FileSet = { ...source, disk: privateDisk(disk) };
  const { client, url, signal } = files;
  const usable = items.filter(({ key }) => isKey(key));
  if (folder !== undefined)
    await refuseNames(
      disk,
      usable.map(({ key }) => join(folder, key)),
    );
  const results = await runPhases([usable], { concurrency: 4, signal, ...events }, async (item) => {
    const path = folder === undefined ? undefined : join(folder, name, item.key);
    const isThere = path !== undefined && (await isDownloaded(disk, path, item));
    const record =
      path === undefined || isThere
        ? (await client.fileRecord(url, item.key)).record
        : await download(files, item, path, events);
    const { key, size, modified, content_type } = record;
    const captured = { key, size, modified, content_type };
    return path === undefined ? captured : { ...captured, path };
  });
  const ended = results.find(stopsBatch);
  if (ended !== undefined && ended.status !== 'done') throw ended.error;
  if (signal.aborted) throw new InterruptedError('interrupted; the seed was not written');
  return results;
}

/** A download gets the date of the row's file, and is in place only when it is whole. */
async function isDownloaded(disk: Disk, path: string, item: FileItem): Promise<boolean> {
  const facts = await disk.pathInfo(path);
  return facts?.size === item.size && Math.round(facts.modified) === item.modified;
}

async function download(
  files: FileSet,
  item: FileItem,
  path: string,
  events: BatchEvents<FileItem, unknown>,
): Promise<FileRecord> {
  const { record } = await downloadFile(files, item.key, path, {
    onProgress: (bytes, size) => events.onProgress?.(item, bytes, size),
    // An older version of it may be there.
    check: async () => {},
  });
  return record;
}
