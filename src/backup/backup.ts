import { join } from 'node:path';
import { Refusal } from '../client/index.ts';
import type { FileItem, FileRecord, RowName } from '../contract/index.ts';
import { InterruptedError, InvalidError } from '../errors.ts';
import type { Disk } from '../ports.ts';
import { bytesOf, readStored, type RowAddress } from '../rows/row.ts';
import { type ItemResult, stopsBatch } from '../transfer/batch.ts';
import { downloadFiles, withTemporary } from '../transfer/download.ts';
import { type FileSet, isKey } from '../transfer/file-set.ts';
import { refuseNames } from '../transfer/local-names.ts';
import {
  type BackedUpFile,
  type BackedUpRow,
  type BackupIndex,
  filesFolder,
  INDEX,
  rowFile,
  sha256,
} from './backup-index.ts';

/** A row to back up; its files too if `files` is given. */
export interface BackupSource {
  readonly name: RowName;
  readonly row: RowAddress;
  readonly files?: Omit<FileSet, 'disk'> | undefined;
}

export interface BackupOptions {
  readonly disk: Disk;
  /** Must be empty or missing. */
  readonly folder: string;
  readonly about: Pick<BackupIndex, 'created' | 'course' | 'location' | 'member'>;
}

/** A row as it was read, with the listing of its files. */
export interface ReadRow {
  readonly source: BackupSource;
  readonly bytes: Uint8Array;
  readonly items: readonly FileItem[];
}

/** Why the service refused a row. */
export interface RefusedRow {
  readonly source: BackupSource;
  readonly refusal: Refusal;
}

/**
 * Writes rows into a folder as they are, and their files, readable by the owner only. A row that the
 * service refuses with 403, 404 or 422 is left out and listed. The index is written last: a folder
 * without one is no backup. Only reads are sent.
 *
 * @throws {InvalidError} `backup.exists`: the folder has files; nothing was sent
 * @throws {Refusal} no row is readable
 */
export async function backUp(
  sources: readonly BackupSource[],
  { disk, folder, about }: BackupOptions,
): Promise<BackupIndex> {
  await refuseUsed(disk, folder);
  const own = privateDisk(disk);
  const read = await readSources(sources);
  const rows: BackedUpRow[] = [];
  const leftOut: { row: RowName; key?: string; reason: string }[] = [];
  for (const each of read) {
    const { name, files } = each.source;
    if ('refusal' in each) {
      leftOut.push({ row: name, reason: refusalText(each) });
      continue;
    }
    const { bytes, items } = each;
    const keys = items.map(({ key }) => key).filter(isKey);
    const results = files
      ? await download({ ...files, disk: own }, keys, { folder, row: name })
      : [];
    const done: BackedUpFile[] = [];
    for (const result of results) {
      if (result.status === 'done') done.push(fileOf(result.value));
      else leftOut.push({ row: name, key: result.item, reason: (result.error as Error).message });
    }
    await writeFile(own, folder, rowFile(folder, name), bytes);
    rows.push({ row: name, bytes: bytes.length, sha256: sha256(bytes), files: done });
  }
  const index: BackupIndex = { lectern_backup: 1, ...about, rows, left_out: leftOut };
  const text = `${JSON.stringify(index, null, 2)}\n`;
  await writeFile(own, folder, join(folder, INDEX), new TextEncoder().encode(text));
  return index;
}

async function refuseUsed(disk: Disk, folder: string): Promise<void> {
  const there = await disk.pathInfo(folder, { followLinks: true });
  const isFolder = there === undefined || there.kind === 'folder';
  if (isFolder && (await disk.listFolder(folder)).length === 0) return;
  throw new InvalidError(`${folder} ${isFolder ? 'is not empty' : 'is not a folder'}`, {
    code: 'backup.exists',
    hint: 'give a new folder',
  });
}

/**
 * Reads rows, and lists the files of those that have `files`. A row that is refused with 403, 404 or
 * 422 is in the result with the refusal.
 *
 * @throws {Refusal} no row is readable
 */
export async function readSources(
  sources: readonly BackupSource[],
): Promise<(ReadRow | RefusedRow)[]> {
  const read = await Promise.all(sources.map(readSource));
  const [first] = read;
  if (first !== undefined && 'refusal' in first && read.every((each) => 'refusal' in each)) {
    throw first.refusal;
  }
  return read;
}

export function refusalText({ refusal: { status, text } }: RefusedRow): string {
  return `the service answered ${status}${text === '' ? '' : `: ${text}`}`;
}

/** The same disk, whose new files and folders are readable by their owner only. */
export function privateDisk(disk: Disk): Disk {
  return {
    ...disk,
    temporaryFile: (folder, options) => disk.temporaryFile(folder, { ...options, secret: true }),
  };
}

const UNREADABLE = new Set([403, 404, 422]);

async function readSource(source: BackupSource): Promise<ReadRow | RefusedRow> {
  try {
    const { row, files } = source;
    const bytes = bytesOf(await readStored(row));
    const { items } = files ? await files.client.listFiles(files.url) : { items: [] };
    return { source, bytes, items };
  } catch (error) {
    if (!(error instanceof Refusal) || !UNREADABLE.has(error.status)) throw error;
    return { source, refusal: error };
  }
}

async function download(
  files: FileSet,
  keys: readonly string[],
  { folder, row }: { readonly folder: string; readonly row: RowName },
): Promise<ItemResult<string, FileRecord>[]> {
  const pathFor = (key: string): string => join(filesFolder(folder, row), key);
  await refuseNames(files.disk, keys.map(pathFor));
  const results = await downloadFiles(files, keys, { pathFor });
  const ended = results.find(stopsBatch);
  if (ended !== undefined && ended.status !== 'done') throw ended.error;
  if (files.signal.aborted) {
    throw new InterruptedError('interrupted; the backup is not complete, and has no index');
  }
  return results;
}

/** Without the signed address. */
function fileOf({ key, size, modified, content_type }: FileRecord): BackedUpFile {
  return { key, size, modified, content_type };
}

async function writeFile(
  disk: Disk,
  folder: string,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  await withTemporary(disk, folder, async (file) => {
    await file.write(bytes);
    await file.moveTo(path);
  });
}
