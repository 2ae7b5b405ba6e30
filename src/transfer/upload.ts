import { NoAnswer, Refusal } from '../client/index.ts';
import type { FileRecord } from '../contract/index.ts';
import { DoubtError, InterruptedError, InvalidError, UsageError } from '../errors.ts';
import type { OpenFile } from '../ports.ts';
import { type BatchEvents, runPhases, type Settled } from './batch.ts';
import type { FileSet } from './file-set.ts';
import { isSame } from './local-file.ts';
import { retryOn429 } from './retry.ts';
import type { PlannedUpload } from './upload-plan.ts';

/** Told the bytes that have gone in this try, of how many. */
export type Moved = (bytes: number, size: number) => void;

/**
 * Uploads planned files, at most `concurrency` at once, and checks each one's record afterwards.
 * Resolves with how each ended, in order; no error of a file rejects it. `phases` come from
 * `fitUploads`, which has checked them against the quota.
 */
export async function uploadFiles(
  fileSet: FileSet,
  phases: readonly (readonly PlannedUpload[])[],
  { concurrency = 4, ...events }: BatchEvents<PlannedUpload, void> & { concurrency?: number } = {},
): Promise<Settled<PlannedUpload>[]> {
  return runPhases(phases, { concurrency, signal: fileSet.signal, ...events }, (planned) =>
    uploadFile(fileSet, planned, (bytes, size) => events.moved?.(planned, bytes, size)),
  );
}

/**
 * Declares a file, posts it, and reads its record back ("Upload sequence"). Throws what the client
 * throws, and `DoubtError` where the upload was accepted and the record does not show it.
 */
export async function uploadFile(
  fileSet: FileSet,
  planned: PlannedUpload,
  moved: Moved,
): Promise<void> {
  const file = await fileSet.disk.openFile(planned.file.path, planned.file.facts);
  try {
    await declareAndPost(fileSet, planned, file, moved).catch((error: unknown) =>
      settleCut(fileSet, planned, error),
    );
  } finally {
    await file.close();
  }
  await readBack(fileSet, planned);
}

/** A form that has expired is asked for once more: the bytes may have waited for their turn. */
async function declareAndPost(
  fileSet: FileSet,
  { key, body, mimetype }: PlannedUpload,
  file: OpenFile,
  moved: Moved,
): Promise<void> {
  const { client, url } = fileSet;
  for (let isRenewed = false; ; isRenewed = true) {
    const form = await retryOn429(fileSet, () => client.declareFile(url, key, body));
    const source = {
      filename: body.filename ?? key,
      mimetype,
      length: body.size,
      chunks: () => counted(file.chunks(), (bytes) => moved(bytes, body.size)),
    };
    try {
      await retryOn429(fileSet, () => client.uploadFile(form, source));
      return;
    } catch (error) {
      if (isRenewed || !isExpired(error)) throw error;
    }
  }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  moved: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  moved(size);
  for await (const chunk of chunks) {
    yield chunk;
    size += chunk.length;
    moved(size);
  }
}

/** Whether the storage refused because the signed address was too old. */
export function isExpired(error: unknown): boolean {
  return error instanceof Refusal && error.storageCause === 'expired';
}

/**
 * A file that could not be read to its end was cut short on its way, on this side: the error stands
 * where the record shows that nothing was stored of it, and else it is in doubt.
 */
async function settleCut(
  { client, url }: FileSet,
  { key, before }: PlannedUpload,
  error: unknown,
): Promise<never> {
  const isLocal = error instanceof InvalidError || error instanceof UsageError;
  if (!isLocal) throw error;
  const isAsBefore = await client.fileRecord(url, key).then(
    ({ record }) => isSame(record, before),
    (why: unknown) => before === undefined && why instanceof Refusal && why.status === 404,
  );
  if (isAsBefore) throw error;
  throw new DoubtError(
    'in_doubt.cut',
    `in doubt: ${error.message}, and nothing shows that the part that was sent has not been stored`,
    { cause: error },
  );
}

/** The service may learn of a file a moment after the storage has taken it. */
const WAITS_MS = [200, 800];

async function readBack(fileSet: FileSet, planned: PlannedUpload): Promise<void> {
  const { client, url, clock, signal } = fileSet;
  const { key } = planned;
  for (let tries = 0; ; tries += 1) {
    const fault = await retryOn429(fileSet, () => client.fileRecord(url, key)).then(
      ({ record }) => faultIn(record, planned),
      (error: unknown) => `it cannot be read: ${wordsFor(error)}`,
    );
    if (fault === undefined) return;
    const wait = WAITS_MS[tries];
    if (wait === undefined || signal.aborted) throw unchecked(key, fault);
    // Interrupted here, the upload stands and is only unchecked: that is told, not thrown away.
    await clock.sleep(wait, signal).catch(() => {});
  }
}

/**
 * Why a record does not tell of the upload, if so. With the size and the date of the file before,
 * nobody knows whether it is another: a storage that took nothing looks just like that.
 */
function faultIn(record: FileRecord, { body, before }: PlannedUpload): string | undefined {
  if (record.size !== body.size) {
    return `the service holds ${record.size} bytes, and ${body.size} were sent`;
  }
  return isSame(record, before) ? 'it has the size and the date of the file before' : undefined;
}

/** What went wrong with a look that is not the work itself. What is a bug is thrown on. */
function wordsFor(error: unknown): string {
  if (error instanceof Refusal) return `the service answered ${error.message}`;
  if (error instanceof NoAnswer || error instanceof InterruptedError) return error.message;
  throw error;
}

/** The storage took the bytes, and what is stored is not what was sent, or cannot be seen. */
function unchecked(key: string, fault: string): DoubtError {
  return new DoubtError(
    'in_doubt.unchecked',
    `in doubt: the upload of ${key} was accepted, but the check of its record failed: ${fault}`,
  );
}
