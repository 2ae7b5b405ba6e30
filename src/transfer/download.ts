import { dirname } from 'node:path';
import { NoAnswer, Refusal, type Sink } from '../client/index.ts';
import type { FileRecord } from '../contract/index.ts';
import type { Disk, PathInfo, TemporaryFile } from '../ports.ts';
import { type BatchEvents, runPhases, type ItemResult } from './batch.ts';
import { pauseTransfer, retryOn429 } from './calls.ts';
import { type FileSet, refuseBadKey } from './file-set.ts';
import { refuseExisting } from './local-names.ts';
import { isExpired, type ProgressListener } from './upload.ts';

export interface DownloadOptions extends BatchEvents<string, FileRecord> {
  /** Maximum parallel transfers; defaults to 4. */
  readonly concurrency?: number;
  readonly pathFor: (key: string) => string;
  /** Whether an existing file may be replaced; defaults to false. */
  readonly overwrite?: boolean;
}

/**
 * Downloads files in parallel, each completely or not at all. Resolves with the result of each, in the
 * order of the keys; an error of a file does not reject it.
 *
 * @example
 * const results = await downloadFiles(files, ['essay.pdf'], { pathFor: (key) => join('out', key) });
 * const failed = results.filter(({ status }) => status !== 'done');
 */
export async function downloadFiles(
  fileSet: FileSet,
  keys: readonly string[],
  { concurrency = 4, pathFor, overwrite = false, ...events }: DownloadOptions,
): Promise<ItemResult<string, FileRecord>[]> {
  const { disk, signal } = fileSet;
  return runPhases([keys], { concurrency, signal, ...events }, async (key) => {
    refuseBadKey(key);
    const path = pathFor(key);
    const { record } = await downloadFile(fileSet, key, path, {
      onProgress: (bytes, size) => events.onProgress?.(key, bytes, size),
      check: () => refuseExisting(disk, path, overwrite),
    });
    return record;
  });
}

/**
 * Downloads a file to `path`, with the recorded size and date, completely or not at all. `check` is
 * called right before the file is put in place, and may throw to keep an existing one. Resolves with
 * the record, and the facts of the file as it was written. Throws what the client and `check` throw.
 */
export async function downloadFile(
  fileSet: FileSet,
  key: string,
  path: string,
  {
    onProgress,
    check,
  }: { readonly onProgress: ProgressListener; readonly check: () => Promise<void> },
): Promise<{ record: FileRecord; facts: PathInfo }> {
  return withTemporary(fileSet.disk, dirname(path), async (file) => {
    const record = await fetchFile(fileSet, key, onProgress, () => restart(file));
    await file.seal(Number.isFinite(record.modified) ? record.modified : undefined);
    const facts = await file.pathInfo();
    await check();
    await file.moveTo(path);
    return { record, facts };
  });
}

/** Runs work with a temporary file. */
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

/** Empties a file that an earlier try may have begun; returns its `write`. */
export async function restart(file: TemporaryFile): Promise<TemporaryFile['write']> {
  await file.restart();
  return file.write;
}

const MAX_TRIES = 3;
const WAIT_MS = 300;

/**
 * Reads a file. Each try starts with the record: a new signed URL, and the current size. `begin` is
 * called for each try and returns the receiver of the bytes.
 */
export async function fetchFile(
  fileSet: FileSet,
  key: string,
  onProgress: ProgressListener,
  begin: () => Promise<Sink['take']>,
): Promise<FileRecord> {
  const { client, url } = fileSet;
  const attempt = async (): Promise<FileRecord> => {
    const { record } = await client.fileRecord(url, key);
    const accept = await begin();
    let size = 0;
    onProgress(size, record.size);
    const take: Sink['take'] = (chunk) => {
      size += chunk.length;
      onProgress(size, record.size);
      return accept(chunk);
    };
    await client.downloadFile(record.url, { length: record.size, take });
    return record;
  };
  for (let tries = 1; ; tries += 1) {
    try {
      return await retryOn429(fileSet, attempt);
    } catch (error) {
      if (tries === MAX_TRIES || !isTransient(error)) throw error;
      if (!(error instanceof Refusal)) await pauseTransfer(fileSet, WAIT_MS * tries);
    }
  }
}

/**
 * Whether another try may succeed: after an expired URL, the URL of a file that was replaced since its
 * record was read, or an incomplete answer.
 */
function isTransient(error: unknown): boolean {
  const isReplaced = error instanceof Refusal && error.area === 'signed' && error.status === 404;
  if (isReplaced || isExpired(error)) return true;
  const lasting = ['interrupted', 'timeout', 'redirect'];
  return error instanceof NoAnswer && !lasting.includes(error.reason);
}
