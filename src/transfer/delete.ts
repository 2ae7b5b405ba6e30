import { type BatchEvents, runPhases, type Settled } from './batch.ts';
import type { FileSet } from './file-set.ts';
import { refuseBadKey } from './keys.ts';
import { retryOn429 } from './retry.ts';

export interface DeleteOptions extends BatchEvents<string, void> {
  readonly concurrency?: number;
  /** Called with each key before its file is deleted; throws where it must stay. */
  readonly check?: (key: string) => void;
}

/**
 * Deletes files; a key without a file is no error ("Files of a row": DELETE answers 204 then too).
 * Resolves with how each ended, in the order of the keys; no error of a file rejects it.
 */
export async function deleteFiles(
  fileSet: FileSet,
  keys: readonly string[],
  { concurrency = 4, check, ...events }: DeleteOptions = {},
): Promise<Settled<string>[]> {
  const { client, url, signal } = fileSet;
  return runPhases([keys], { concurrency, signal, ...events }, async (key) => {
    refuseBadKey(key);
    check?.(key);
    await retryOn429(fileSet, () => client.deleteFile(url, key));
  });
}
