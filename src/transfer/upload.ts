import { NoAnswer, Refusal } from '../client/index.ts';
import { sleepUnlessAborted } from '../clock.ts';
import type { FileRecord } from '../contract/index.ts';
import { ChangedError, DoubtError, InterruptedError, InvalidError, UsageError } from '../errors.ts';
import type { OpenFile } from '../ports.ts';
import { type BatchEvents, runPhases, type ItemResult } from './batch.ts';
import { checkHint, namingFile, retryOn429, statLine } from './calls.ts';
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
 * Throws what the client throws, `ChangedError` if another program has replaced the file since, and
 * `DoubtError` if the upload was accepted but the record does not show it.
 */
export async function uploadFile(
  fileSet: FileSet,
  planned: PlannedUpload,
  onProgress: ProgressListener,
): Promise<FileRecord> {
  const file = await fileSet.disk.openFile(planned.file.path, planned.file.facts);
  try {
    await namingFile(fileSet, 'upload', planned.key, () =>
      declareAndPost(fileSet, planned, file, onProgress),
    ).catch((error: unknown) => settleIncomplete(fileSet, planned, error));
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
    const form = await retryOn429(fileSet, () => client.declareFile(url, key, body));
    const source = {
      filename: body.filename ?? key,
      mimetype,
      length: body.size,
      chunks: () => withProgress(file.chunks(), (bytes) => onProgress(bytes, body.size)),
    };
    try {
      await retryOn429(fileSet, () => client.uploadFile(form, source));
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

/**
 * The local file could not be read to its end, so that the upload was incomplete: throws the error if
 * the record shows that nothing was stored, otherwise a `DoubtError`.
 */
async function settleIncomplete(
  fileSet: FileSet,
  { key, before }: PlannedUpload,
  error: unknown,
): Promise<never> {
  const isLocal = error instanceof InvalidError || error instanceof UsageError;
  if (!isLocal) throw error;
  const isAsBefore = await fileSet.client.fileRecord(fileSet.url, key).then(
    ({ record }) => isSameFile(record, before),
    (why: unknown) => before === undefined && why instanceof Refusal && why.status === 404,
  );
  if (isAsBefore) throw error;
  throw new DoubtError(
    'in_doubt.cut',
    `in doubt: ${error.message}; the incomplete upload of ${key} may have been stored`,
    { cause: error, hint: checkHint(fileSet, key) },
  );
}

/** The service may list a file a moment after the storage has accepted it. */
const WAITS_MS = [200, 800];

async function readBack(fileSet: FileSet, planned: PlannedUpload): Promise<FileRecord> {
  const { clock, signal } = fileSet;
  for (let tries = 0; ; tries += 1) {
    const checked = await readRecord(fileSet, planned);
    if ('record' in checked) return checked.record;
    if (checked.isReplaced) throw replacedError(fileSet, planned.key, checked.fault);
    const wait = WAITS_MS[tries];
    if (wait === undefined || signal.aborted)
      throw uncheckedError(fileSet, planned.key, checked.fault);
    // After an interrupt here, the upload is only unchecked, which is reported.
    await sleepUnlessAborted(clock, wait, signal);
  }
}

/** The record of an upload, or why it does not confirm the upload. */
async function readRecord(
  fileSet: FileSet,
  planned: PlannedUpload,
): Promise<
  { readonly record: FileRecord } | { readonly fault: string; readonly isReplaced?: boolean }
> {
  const { client, url } = fileSet;
  const { key } = planned;
  try {
    const { record } = await retryOn429(fileSet, () => client.fileRecord(url, key));
    const fault = recordFault(record, planned);
    return fault === undefined ? { record } : { fault, isReplaced: isReplaced(record, planned) };
  } catch (error) {
    const fault = `it cannot be read: ${errorText(error)}`;
    // "A call afterwards is 401": it will be no other.
    if (isCredentialRefused(error)) throw uncheckedError(fileSet, key, fault);
    return { fault };
  }
}

/**
 * Why a record does not confirm the upload; undefined if it does. The size and date of the previous
 * file confirm nothing: the storage may have ignored the upload.
 */
function recordFault(record: FileRecord, { body, before }: PlannedUpload): string | undefined {
  if (record.size !== body.size) {
    return `the service has ${record.size} bytes, but ${body.size} were sent`;
  }
  return isSameFile(record, before) ? 'it has the size and date of the previous file' : undefined;
}

/**
 * Whether the record is that of a file which another program has uploaded since: the storage accepts no
 * other size than the declared one.
 */
function isReplaced(record: FileRecord, { body, before }: PlannedUpload): boolean {
  return record.size !== body.size && !isSameFile(record, before);
}

/** The message of an error of the check; other errors are bugs and are thrown again. */
function errorText(error: unknown): string {
  if (error instanceof Refusal) return `the service answered ${error.message}`;
  if (error instanceof NoAnswer || error instanceof InterruptedError) return error.message;
  throw error;
}

function isCredentialRefused(error: unknown): boolean {
  return error instanceof Refusal && (error.status === 401 || error.status === 403);
}

/** The error for an accepted upload that cannot be confirmed. */
function uncheckedError(files: FileSet, key: string, fault: string): DoubtError {
  return new DoubtError(
    'in_doubt.unchecked',
    `in doubt: the upload of ${key} was accepted, but the check of its record failed: ${fault}`,
    { hint: checkHint(files, key) },
  );
}

/** The error for an upload that took effect and was replaced before its record was read. */
function replacedError(files: FileSet, key: string, fault: string): ChangedError {
  return new ChangedError(
    'file.replaced',
    `the upload of ${key} was accepted, and replaced by another program: ${fault}`,
    {
      hint: `upload it again if it has to be this one; look at it with: ${statLine(files, key)}`,
    },
  );
}
