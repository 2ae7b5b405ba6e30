import type { StoredFile } from './records.ts';
import type { EmulatedRow } from './rows.ts';
import type { EmulatorState } from './state.ts';

/** The stored files of a row, in the order of their keys. */
export function filesOf(state: EmulatorState, row: string): StoredFile[] {
  const files = [...state.files.values()].filter((file) => file.row === row);
  return files.sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function fileId(row: string, key: string): string {
  return `${row}/${key}`;
}

/** Deletes a file; false if there is none. */
export function forgetFile(state: EmulatorState, row: EmulatedRow, key: string): boolean {
  const id = fileId(row.key, key);
  const file = state.files.get(id);
  if (file === undefined) return false;
  state.files.delete(id);
  removeBlob(state, file.blob);
  return true;
}

/** Removes bytes that are no longer referenced, once that is durable. */
export function removeBlob(state: EmulatorState, blob: string): void {
  const remove = (): Promise<void> => state.blobs.remove(blob);
  // If this fails, the next start removes them.
  void state.store
    .whenDurable()
    .then(remove)
    .catch(() => {});
}

/** The blobs that records refer to: the bytes of files, and the code of tools. */
export function blobsOf({ files, hosted }: EmulatorState): string[] {
  const stored = [...files.values()].filter(({ hasNoBytes }) => hasNoBytes !== true);
  return [...stored, ...hosted.codes.values()].map(({ blob }) => blob);
}
