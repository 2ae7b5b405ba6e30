import { ChangedError, InvalidError } from '../errors.ts';
import {
  type ChangeOptions,
  type ChangeResult,
  changeRow,
  previewChange,
  type RowChange,
  type TriedWrite,
} from '../rows/change.ts';
import { hasSameBytes } from '../rows/row.ts';
import type { WritableRow } from '../rows/write.ts';
import { compareContents } from '../transfer/contents.ts';
import type { FileSet } from '../transfer/file-set.ts';
import { isSameFile, type LocalFile } from '../transfer/local-file.ts';
import {
  fitUploads,
  type PlannedUpload,
  planUploads,
  refuseUploads,
} from '../transfer/upload-plan.ts';
import { isError } from '../validator/finding.ts';
import { readCheckedRow } from '../validator/row.ts';
import { backedUpFile, type BackedUpRow, filesFolder, readBackedUp } from './backup-index.ts';

/** A row of a backup, the write that would restore it, and its files that differ. */
export interface PlannedRestore {
  readonly row: WritableRow;
  readonly write: TriedWrite;
  /** The row has other bytes than the backup. */
  readonly isChanged: boolean;
  readonly fileSet: FileSet | undefined;
  readonly uploads: readonly (readonly PlannedUpload[])[];
}

/**
 * Plans to restore a row, and with `fileSet` its files. Only reads are sent.
 *
 * @throws {InvalidError} the backup is not as it was written, or would be refused
 */
export async function planRestore(
  row: WritableRow,
  backedUp: BackedUpRow,
  from: Pick<FileSet, 'disk'> & { readonly folder: string; readonly fileSet?: FileSet | undefined },
): Promise<PlannedRestore> {
  const { disk, folder, fileSet } = from;
  const bytes = await readBackedUp(disk, folder, backedUp);
  const { findings, row: after } = readCheckedRow(bytes, { kind: row.kind });
  if (after === undefined || findings.some(isError)) {
    throw new InvalidError(`the backup is not a valid ${row.label} row`, { findings });
  }
  const write = (await previewChange(row, {
    ...REPLACE,
    plan: () => ({ row: after, findings }),
  })) as TriedWrite;
  const isChanged = !hasSameBytes(write.before, after);
  const uploads = fileSet === undefined ? [] : await planFiles(fileSet, folder, backedUp);
  return { row, write, isChanged, fileSet, uploads };
}

const REPLACE = { method: 'PUT', command: 'storage restore' } as const;

/** The files of a row that the service does not have as they were. */
async function planFiles(
  fileSet: FileSet,
  folder: string,
  { row, files }: BackedUpRow,
): Promise<PlannedRestore['uploads']> {
  const { disk, client, url, kind } = fileSet;
  const { items } = await client.listFiles(url);
  const now = new Map(items.map((item) => [item.key, item]));
  const from = filesFolder(folder, row);
  // A link is not followed: the folder is untrusted.
  if ((await disk.pathInfo(from))?.kind !== 'folder') {
    const hint = 'give a folder that lectern storage backup has written whole';
    throw new InvalidError(`${from} is not a folder`, { code: 'backup.incomplete', hint });
  }
  const local = new Map<string, LocalFile>();
  for (const file of files) {
    if (isSameFile(file, now.get(file.key))) continue;
    local.set(file.key, await backedUpFile(disk, folder, row, file));
  }
  // A file that was restored has another date than in the backup.
  const contents = await compareContents(fileSet, { local, remote: now }, 4);
  const planned: PlannedUpload[] = [];
  for (const { key, content_type: mimetype } of files) {
    const file = local.get(key);
    if (file === undefined || contents.get(key)) continue;
    planned.push(...(await planUploads([file], { mimetype })));
  }
  const { phases } = fitUploads(planned, kind, items);
  refuseUploads(phases.flat());
  return phases;
}

/**
 * Writes a planned row, unless it has changed since.
 *
 * @throws {ChangedError} nothing sent: the row is no longer as it was planned
 * @throws as `changeRow`
 */
export async function restoreRow(
  { row, write }: PlannedRestore,
  options: ChangeOptions,
): Promise<ChangeResult> {
  const { after, findings } = write;
  const change: RowChange = { ...REPLACE, plan: () => after && { row: after, findings } };
  return changeRow(row, change, {
    ...options,
    review: async ({ before }) => {
      if (hasSameBytes(before, write.before)) return;
      const message = `the ${row.label} row has changed since it was shown; it was left alone`;
      throw new ChangedError('row.changed', message, { hint: 'run the command again' });
    },
  });
}
