import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Launch, quotedPath, ROW_NAMES, type RowName } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import type { Disk } from '../ports.ts';
import { matches } from '../schema/check.ts';
import * as s from '../schema/schema.ts';
import { contentHash } from '../transfer/contents.ts';
import { isKey } from '../transfer/file-set.ts';
import { type LocalFile, localFile } from '../transfer/local-file.ts';
import { isMimetype } from '../transfer/upload-plan.ts';

const NAME = s.typed<RowName>({ enum: ROW_NAMES });

const BACKED_UP_FILE = s.object({
  key: s.checked(isKey, 'a file key', 'must be a file key'),
  size: s.count,
  modified: s.anyNumber,
  content_type: s.checked(isMimetype, 'a mimetype', 'must be a mimetype'),
  sha256: s.text,
});

const BACKED_UP_ROW = s.object({
  row: NAME,
  bytes: s.count,
  sha256: s.text,
  files: s.list(BACKED_UP_FILE),
});
export type BackedUpRow = s.Static<typeof BACKED_UP_ROW>;

/**
 * The index of a backup, `index.json` in its folder. It names no paths: a row is `ROW.json`, and its
 * files are `ROW.files/KEY`.
 */
export const BACKUP_INDEX = s.object({
  lectern_backup: s.described(s.oneOf(1), 'the version of this form'),
  created: s.instant,
  course: s.nullable(s.text),
  location: s.nullable(s.text),
  member: s.nullable(s.text),
  rows: s.list(BACKED_UP_ROW),
  left_out: s.described(
    s.list(s.object({ row: NAME, 'key?': s.text, reason: s.text })),
    'rows and files that could not be read',
  ),
});
export type BackupIndex = s.Static<typeof BACKUP_INDEX>;

export const INDEX = 'index.json';
export const rowFile = (folder: string, row: RowName): string => join(folder, `${row}.json`);
export const filesFolder = (folder: string, row: RowName): string => join(folder, `${row}.files`);

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** An index is a few kilobytes; a row may be indented. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the index of a backup.
 *
 * @throws {InvalidError} the folder has none, or it is damaged
 */
export async function readIndex(disk: Disk, folder: string): Promise<BackupIndex> {
  const bytes = await readPlain(disk, join(folder, INDEX));
  try {
    const index: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (matches(BACKUP_INDEX, index)) return index;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new InvalidError(`${join(folder, INDEX)} is not the index of a backup`, {
    code: 'backup.index',
    hint: 'give a folder that lectern storage backup has written',
  });
}

/**
 * The bytes of a row as they were backed up.
 *
 * @throws {InvalidError} its file is missing, is no plain file, or has other bytes
 */
export async function readBackedUp(
  disk: Disk,
  folder: string,
  { row, sha256: digest }: BackedUpRow,
): Promise<Uint8Array> {
  const path = rowFile(folder, row);
  const bytes = await readPlain(disk, path);
  if (sha256(bytes) === digest) return bytes;
  throw changedSince(path, `to write it as it is now: lectern storage put ${row}`);
}

/**
 * A file as it was backed up.
 *
 * @throws {InvalidError} it has other bytes
 * @throws {UsageError} it is missing, or no plain file
 */
export async function backedUpFile(
  disk: Disk,
  folder: string,
  row: RowName,
  { key, sha256: digest }: BackedUpRow['files'][number],
): Promise<LocalFile> {
  const path = join(filesFolder(folder, row), key);
  const file = await localFile(disk, path);
  if ((await contentHash(disk, file)) === digest) return file;
  throw changedSince(path, `to upload it as it is now: lectern files upload ${row}`);
}

/** `way` is a command line up to the path. */
function changedSince(path: string, way: string): InvalidError {
  const hint = `${way} ${quotedPath(path)}`;
  return new InvalidError(`${path} has changed since the backup`, { code: 'backup.changed', hint });
}

/** A link is not followed: the folder is untrusted. */
async function readPlain(disk: Disk, path: string): Promise<Uint8Array> {
  const facts = await disk.pathInfo(path);
  if (facts?.kind !== 'file' || facts.size > MAX_BYTES) {
    const fault = facts === undefined ? 'does not exist' : 'is not a plain file of at most 16 MB';
    throw new InvalidError(`${path} ${fault}`, {
      code: 'backup.incomplete',
      hint: 'give a folder that lectern storage backup has written whole',
    });
  }
  const file = await disk.openFile(path, facts);
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of file.chunks()) chunks.push(chunk);
  } finally {
    await file.close();
  }
  return Buffer.concat(chunks);
}

/** What each row belongs to. */
const OWNERS: Readonly<Record<RowName, readonly ('course' | 'location' | 'member')[]>> = {
  context: ['course'],
  location: ['course', 'location'],
  member: ['course', 'member'],
  member_location: ['course', 'location', 'member'],
  parent_context: [],
  parent_location: [],
};

/** The course, placement and member of a launch, as an index has them. */
export function ownersOf({
  course,
  context,
  location,
  member,
}: Launch): Pick<BackupIndex, 'course' | 'location' | 'member'> {
  return {
    course: context ?? course ?? null,
    location: location ?? null,
    member: member ?? null,
  };
}

/**
 * Refuses to restore a row to another course, placement or member than it was read from.
 *
 * @throws {InvalidError} `backup.other_place`
 */
export function refuseOtherPlace(
  index: BackupIndex,
  folder: string,
  row: RowName,
  place: ReturnType<typeof ownersOf>,
): void {
  for (const owner of OWNERS[row]) {
    const [was, is] = [index[owner], place[owner]];
    if (was === null || is === null || was === is) continue;
    throw new InvalidError(`the backup of ${row} is of ${owner} ${was}, the launch of ${is}`, {
      code: 'backup.other_place',
      hint: `to copy it there: lectern storage put ${row} ${quotedPath(rowFile(folder, row))}`,
    });
  }
}
