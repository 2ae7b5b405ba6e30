import { type Client, NoAnswer, Refusal } from '../../client/index.ts';
import type { FileItem, FileRecord } from '../../contract/index.ts';
import { EXIT } from '../exit-codes.ts';
import { ExitError, UsageError } from '../errors.ts';
import { InvalidError } from '../../errors.ts';
import { reportOf } from '../report.ts';
import type { Runtime } from '../runtime.ts';
import type { OpenFile } from '../../ports.ts';
import { patiently } from './retry.ts';
import type { PlannedUpload } from './upload-plan.ts';

/** What uploads and downloads need, and whom they tell how far they are. */
export interface Transfer {
  readonly runtime: Runtime;
  readonly client: Client;
  readonly filesUrl: string;
  /** The bytes that have gone in this try, of how many. */
  readonly moved: (bytes: number, size: number) => void;
}

/**
 * Declares a file, posts it, and reads its record back. Throws what the client throws, and
 * `ExitError` (in doubt) where the upload was accepted and the record does not say so.
 */
export async function uploadFile(transfer: Transfer, planned: PlannedUpload): Promise<void> {
  const disk = await transfer.runtime.disk();
  const file = await disk.openFile(planned.file.path, planned.file.facts);
  try {
    await declareAndPost(transfer, planned, file).catch((error: unknown) =>
      settleCut(transfer, planned, error),
    );
  } finally {
    await file.close();
  }
  await readBack(transfer, planned);
}

/** A form that has expired is asked for once more: the bytes may have waited for their turn. */
async function declareAndPost(
  transfer: Transfer,
  planned: PlannedUpload,
  file: OpenFile,
): Promise<void> {
  const { runtime, client, filesUrl } = transfer;
  const { key, body, mimetype } = planned;
  for (let isRenewed = false; ; isRenewed = true) {
    const form = await patiently(runtime, () => client.declareFile(filesUrl, key, body));
    const source = {
      filename: body.filename ?? key,
      mimetype,
      length: body.size,
      chunks: () => counted(file.chunks(), (bytes) => transfer.moved(bytes, body.size)),
    };
    try {
      await patiently(runtime, () => client.uploadFile(form, source));
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
 * A file that could not be read to its end was cut short on its way, by ourselves: the error stands
 * where the record shows that nothing was stored of it, and else it is in doubt.
 */
async function settleCut(
  { client, filesUrl }: Transfer,
  { key, before }: PlannedUpload,
  error: unknown,
): Promise<never> {
  const isOurs = error instanceof InvalidError || error instanceof UsageError;
  if (!isOurs) throw error;
  const isAsBefore = await client.fileRecord(filesUrl, key).then(
    ({ record }) => isSame(record, before),
    (why: unknown) => before === undefined && why instanceof Refusal && why.status === 404,
  );
  if (isAsBefore) throw error;
  throw new ExitError(
    EXIT.inDoubt,
    'in_doubt.cut',
    `in doubt: ${error.message}, and nothing shows that the part that was sent has not been stored`,
  );
}

/** The service may learn of a file a moment after the storage has taken it. */
const WAITS_MS = [200, 800];

async function readBack(transfer: Transfer, planned: PlannedUpload): Promise<void> {
  const { runtime, client, filesUrl } = transfer;
  const { key } = planned;
  for (let tries = 0; ; tries += 1) {
    const fault = await patiently(runtime, () => client.fileRecord(filesUrl, key)).then(
      ({ record }) => faultIn(record, planned),
      (error: unknown) => `it cannot be read: ${wordsFor(error)}`,
    );
    if (fault === undefined) return;
    const wait = WAITS_MS[tries];
    if (wait === undefined || runtime.interrupt.aborted) throw unchecked(key, fault);
    // Interrupted here, the upload stands and is only unchecked: that is told, not thrown away.
    await runtime.sleep(wait, runtime.interrupt).catch(() => {});
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

/** Whether a file of the service is the one that was seen, as far as a listing can tell. */
export function isSame(record: FileItem, before: FileItem | undefined): boolean {
  return record.size === before?.size && record.modified === before.modified;
}

/**
 * What went wrong beside the work itself, in words: the report of a read that got no answer would
 * add that nothing took effect. What is a bug is thrown on.
 */
export function wordsFor(error: unknown): string {
  const report = reportOf(error);
  if (report === undefined) throw error;
  return error instanceof NoAnswer ? error.message : report.message;
}

/** The storage took the bytes, and what is stored is not what was sent, or cannot be seen. */
function unchecked(key: string, fault: string): ExitError {
  return new ExitError(
    EXIT.inDoubt,
    'in_doubt.unchecked',
    `in doubt: the upload of ${key} was accepted, but the check of its record failed: ${fault}`,
  );
}
