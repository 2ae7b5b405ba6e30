import { dirname } from 'node:path';
import { NoAnswer } from '../client/index.ts';
import type { FileRecord } from '../contract/index.ts';
import type { Disk, TemporaryFile } from '../ports.ts';
import { type BatchEvents, runPhases, type Settled } from './batch.ts';
import { type FileSet, pause } from './file-set.ts';
import { refuseBadKey } from './keys.ts';
import { refuseTaken } from './local-names.ts';
import { retryOn429 } from './retry.ts';
import { isExpired, type Moved } from './upload.ts';

export interface DownloadOptions extends BatchEvents<string, FileRecord> {
  readonly concurrency?: number;
  /** Where the file of a key goes. */
  readonly pathFor: (key: string) => string;
  /** Whether a file that stands there may be replaced. */
  readonly overwrite?: boolean;
}

/**
 * Downloads files, at most `concurrency` at once, each whole or not at all. Resolves with the record
 * of each, or how it ended, in the order of the keys; no error of a file rejects it.
 *
 * @example
 * const settled = await downloadFiles(files, ['essay.pdf'], { pathFor: (key) => join('out', key) });
 * const failed = settled.filter(({ status }) => status !== 'done');
 */
export async function downloadFiles(
  fileSet: FileSet,
  keys: readonly string[],
  { concurrency = 4, pathFor, overwrite = false, ...events }: DownloadOptions,
): Promise<Settled<string, FileRecord>[]> {
  const { disk, signal } = fileSet;
  return runPhases([keys], { concurrency, signal, ...events }, async (key) => {
    refuseBadKey(key);
    const path = pathFor(key);
    return downloadFile(fileSet, key, path, {
      moved: (bytes, size) => events.moved?.(key, bytes, size),
      check: () => refuseTaken(disk, path, overwrite),
    });
  });
}

/**
 * Reads a file into `path`: whole, of the recorded size and with the recorded date, or not at all.
 * `check` is called right before, and throws where what stands in its place must stay. Throws what
 * the client and `check` throw.
 */
export async function downloadFile(
  fileSet: FileSet,
  key: string,
  path: string,
  { moved, check }: { readonly moved: Moved; readonly check: () => Promise<void> },
): Promise<FileRecord> {
  return withTemporary(fileSet.disk, dirname(path), async (file) => {
    const record = await fetchFile(fileSet, key, moved, () => restarted(file));
    await file.seal(Number.isFinite(record.modified) ? record.modified : undefined);
    await check();
    await file.moveTo(path);
    return record;
  });
}

/** A temporary file for as long as the work takes. */
export async function withTemporary<Value>(
  disk: Disk,
  folder: string | undefined,
  work: (file: TemporaryFile) => Promise<Value>,
): Promise<Value> {
  const file = await disk.temporaryFile(folder);
  try {
    return await work(file);
  } finally {
    await file.discard();
  }
}

/** Takes the bytes of a try into a file that an earlier try may have begun. */
export async function restarted(file: TemporaryFile): Promise<TemporaryFile['write']> {
  await file.restart();
  return file.write;
}

const MAX_TRIES = 3;
const WAIT_MS = 300;

/**
 * Reads a file, each try from the record on: a fresh address, and the size that holds now. `begin`
 * is called for each try and gives what takes the bytes.
 */
export async function fetchFile(
  fileSet: FileSet,
  key: string,
  moved: Moved,
  begin: () => Promise<(chunk: Uint8Array) => void | Promise<void>>,
): Promise<FileRecord> {
  const { client, url } = fileSet;
  const attempt = async (): Promise<FileRecord> => {
    const { record } = await client.fileRecord(url, key);
    const accept = await begin();
    let size = 0;
    moved(size, record.size);
    const take = async (chunk: Uint8Array): Promise<void> => {
      await accept(chunk);
      size += chunk.length;
      moved(size, record.size);
    };
    await client.downloadFile(record.url, { length: record.size, take });
    return record;
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await retryOn429(fileSet, attempt);
    } catch (error) {
      if (tries === MAX_TRIES || !mayPass(error)) throw error;
      if (!isExpired(error)) await pause(fileSet, WAIT_MS * tries);
    }
  }
}

/** Whether another try may go better: an address that was too old, an answer that was cut. */
function mayPass(error: unknown): boolean {
  if (isExpired(error)) return true;
  const lasting = ['interrupted', 'timeout', 'redirect'];
  return error instanceof NoAnswer && !lasting.includes(error.reason);
}
