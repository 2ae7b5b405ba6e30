import { join } from 'node:path';
import { ROW_NAMES } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import type { Disk } from '../ports.ts';
import { contentHash } from '../transfer/contents.ts';
import { withTemporary } from '../transfer/download.ts';
import { localFile } from '../transfer/local-file.ts';
import {
  type BackedUpRow,
  type BackupIndex,
  filesFolder,
  INDEX,
  rowFile,
  sha256,
} from './backup-index.ts';
import { captureRows, privateDisk, type RowSource } from './capture.ts';

export interface BackupOptions {
  readonly disk: Disk;
  /** Must be empty or missing, or be left by an interrupted backup. */
  readonly folder: string;
  readonly about: Pick<BackupIndex, 'created' | 'course' | 'location' | 'member'>;
}

/**
 * Writes rows into a folder as they are, and their files, readable by the owner only. A row or file that
 * the service refuses is left out and listed. The index is written last: a folder without one is no
 * backup. Only reads are sent.
 *
 * @throws {InvalidError} `backup.exists`: the folder has files; nothing was sent
 * @throws as `captureRows`
 */
export async function backUp(
  sources: readonly RowSource[],
  { disk, folder, about }: BackupOptions,
): Promise<BackupIndex> {
  await refuseUsed(disk, folder);
  const { rows: read, leftOut } = await captureRows(sources, {
    disk,
    isWhole: true,
    pathFor: (row, key) => join(filesFolder(folder, row), key),
  });
  const rows: BackedUpRow[] = [];
  for (const { name: row, bytes, files } of read) {
    const kept: BackedUpRow['files'][number][] = [];
    for (const { path = '', ...file } of files) {
      kept.push({ ...file, sha256: await contentHash(disk, await localFile(disk, path)) });
    }
    rows.push({ row, bytes: bytes.length, sha256: sha256(bytes), files: kept });
  }
  const left_out = leftOut.map(({ status: _status, ...each }) => each);
  const index: BackupIndex = { lectern_backup: 1, ...about, rows, left_out };
  const text = `${JSON.stringify(index, null, 2)}\n`;
  await writeFiles(privateDisk(disk), folder, [
    { path: join(folder, INDEX), bytes: new TextEncoder().encode(text) },
    ...read.map(({ name, bytes }) => ({ path: rowFile(folder, name), bytes })),
  ]);
  return index;
}

/** What an interrupted backup leaves: files that need not be read again. */
const UNFINISHED = ROW_NAMES.map((row) => filesFolder('', row));

async function refuseUsed(disk: Disk, folder: string): Promise<void> {
  const there = await disk.pathInfo(folder, { followLinks: true });
  const isFolder = there === undefined || there.kind === 'folder';
  if (isFolder && (await disk.listFolder(folder)).every((name) => UNFINISHED.includes(name)))
    return;
  throw new InvalidError(`${folder} ${isFolder ? 'is not empty' : 'is not a folder'}`, {
    code: 'backup.exists',
    hint: 'give a new folder',
  });
}

/**
 * All files are complete before one of them gets its name, so that a full disk leaves none; the first one
 * gets its name last.
 */
async function writeFiles(
  disk: Disk,
  folder: string,
  [first, ...rest]: readonly { readonly path: string; readonly bytes: Uint8Array }[],
): Promise<void> {
  if (first === undefined) return;
  await withTemporary(disk, folder, async (file) => {
    await file.write(first.bytes);
    await writeFiles(disk, folder, rest);
    await file.moveTo(first.path);
  });
}
