import type { StoredFile } from './records.ts';
import type { EmulatedRow } from './row-table.ts';
import type { EmulatorState } from './state.ts';

/** The stored files of a row, in the order of their keys. */
export function filesOf({ files }: EmulatorState, row: string): StoredFile[] {
  return files.all('row = ?', [row], 'key');
}

/** Deletes a file; false if there is none. */
export function forgetFile(
  { files, blobs }: EmulatorState,
  row: EmulatedRow,
  key: string,
): boolean {
  const file = files.get(row.key, key);
  if (file === undefined) return false;
  files.remove(row.key, key);
  blobs.remove(file.blob);
  return true;
}
