import { Refusal } from '../client/index.ts';
import { sleepUnlessAborted } from '../clock.ts';
import type { FileRecord } from '../contract/index.ts';
import { DoubtError, messageOf } from '../errors.ts';
import type { OpenFile } from '../ports.ts';
import { type BatchEvents, runPhases, type ItemResult } from './batch.ts';
import { checkHint, namingFile, retryOn429 } from './calls.ts';
import type { FileSet } from './file-set.ts';
import { isSameFile } from './local-file.ts';
import type { PlannedUpload } from './upload-plan.ts';

/** Called with the bytes transferred in this try, and the size of the file. */
export type ProgressListener = (bytes: number, size: number) => void;

/**
 * Uploads planned files in parallel, and checks the record of each afterwards. Resolves with the result
 * of each, in order; an error of a file does not reject it.
 *
 * @param phases from `fitUploads`, which checks the quota
 * @example
 * const results = await uploadFiles(files, phases, { concurrency: 8 });
 */
export async function uploadFiles(
  fileSet: FileSet,
  phases: readonly (readonly PlannedUpload[])[],
  { concurrency = 4, ...events }: BatchEvents<PlannedUpload, void> & { concurrency?: number } = {},
): Promise<ItemResult<PlannedUpload>[]> {
  return runPhases(phases, { concurrency, signal: fileSet.signal, ...events }, async (planned) => {
    await uploadFile(fileSet, planned, (bytes, size) => events.onProgress?.(planned, bytes, size));
  });
}

/**
 * Declares a file, posts it, and reads its record back ("Upload sequence"); resolves with the record.
 * Throws what the client throws, and `DoubtError` if the upload was accepted but the record does not show
 * it. If the local file changes, the upload is incomplete, and the storage refuses it.
 */
export async function uploadFile(
  fileSet: FileSet,
  planned: PlannedUpload,
  onProgress: ProgressListener,
): Promise<FileRecord> {
  const file = await fileSet.disk.openFile(planned.file.path, planned.file.facts);
  try {
    await declareAndPost(fileSet, planned, file, onProgress);
  } finally {
    await file.close();
  }
  return readBack(fileSet, planned);
}

/** An expired form is requested once more: the upload may have waited in the queue. */
async function declareAndPost(
  fileSet: FileSet,
  { key, body, mimetype }: PlannedUpload,
  file: OpenFile,
  onProgress: ProgressListener,
): Promise<void> {
  const { client, url } = fileSet;
  for (let isRenewed = false; ; isRenewed = true) {
    const form = await namingFile(fileSet, 'declaration', key, () =>
      retryOn429(fileSet, () => client.declareFile(url, key, body)),
    );
    const source = {
      filename: body.filename ?? key,
      mimetype,
      length: body.size,
      chunks: () => withProgress(file.chunks(), (bytes) => onProgress(bytes, body.size)),
    };
    try {
      await namingFile(fileSet, 'upload', key, () =>
        retryOn429(fileSet, () => client.uploadFile(form, source)),
      );
      return;
    } catch (error) {
      if (isRenewed || !isExpired(error)) throw error;
    }
  }
}

async function* withProgress(
  chunks: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  onProgress(size);
  for await (const chunk of chunks) {
    yield chunk;
    size += chunk.length;
    onProgress(size);
  }
}

/** Whether the storage refused because the signed URL has expired. */
export function isExpired(error: unknown): boolean {
  return error instanceof Refusal && error.storageCause === 'expired';
}

/** The service may list a file a moment after the storage has accepted it. */
const WAITS_MS = [200, 800];

async function readBack(fileSet: FileSet, planned: PlannedUpload): Promise<FileRecord> {
  const { clock, signal } = fileSet;
  for (let tries = 0; ; tries += 1) {
    const checked = await readRecord(fileSet, planned);
    if (typeof checked === 'object') return checked;
    const wait = WAITS_MS[tries];
    if (wait === undefined || signal.aborted) {
      throw new DoubtError(
        'in_doubt.unchecked',
        `in doubt: the upload of ${planned.key} was accepted, but the check of its record failed: ${checked}`,
        { hint: checkHint(fileSet, planned.key) },
      );
    }
    // After an interrupt here, the upload is only unchecked, which is reported.
    await sleepUnlessAborted(clock, wait, signal);
  }
}

/**
 * The record of an upload, or why it does not confirm the upload. The size and date of the previous
 * file confirm nothing: the storage may have ignored the upload.
 */
async function readRecord(
  fileSet: FileSet,
  { key, body, before }: PlannedUpload,
): Promise<FileRecord | string> {
  try {
    const { record } = await retryOn429(fileSet, () => fileSet.client.fileRecord(fileSet.url, key));
    if (record.size !== body.size)
      return `the service has ${record.size} bytes, but ${body.size} were sent`;
    return isSameFile(record, before) ? 'it has the size and date of the previous file' : record;
  } catch (error) {
    return `it cannot be read: ${messageOf(error)}`;
  }
}
