import { type BatchEvents, runPhases, type ItemResult } from './batch.ts';
import { namingFile, retryOn429 } from './calls.ts';
import { type FileSet, refuseBadKey } from './file-set.ts';

export interface DeleteOptions extends BatchEvents<string, void> {
  /** Maximum parallel requests; defaults to 4. */
  readonly concurrency?: number;
  /** Called with each key before its file is deleted; throw to keep it. */
  readonly check?: (key: string) => void;
}

/**
 * Deletes files; a key without a file is not an error ("Files of a row": DELETE answers 204 then too).
 * Resolves with the result of each, in the order of the keys; an error of a file does not reject it.
 *
 * @example
 * const results = await deleteFiles(files, ['essay.pdf']);
 */
export async function deleteFiles(
  fileSet: FileSet,
  keys: readonly string[],
  { concurrency = 4, check, ...events }: DeleteOptions = {},
): Promise<ItemResult<string>[]> {
  const { signal } = fileSet;
  return runPhases([keys], { concurrency, signal, ...events }, async (key) => {
    refuseBadKey(key);
    check?.(key);
    await deleteFile(fileSet, key);
  });
}

export async function deleteFile(fileSet: FileSet, key: string): Promise<void> {
  const { client, url } = fileSet;
  await namingFile(fileSet, 'delete', key, () =>
    retryOn429(fileSet, () => client.deleteFile(url, key)),
  );
}
