import { Readable } from 'node:stream';
import { BlobHttpError, blobErrorReply } from './blob-http-error.ts';
import type { PlainRequest, Reply } from '../../http/messages.ts';
import type { EmulatorState } from '../../state/state.ts';
import { dispositionOf, headerText, readDownload } from './signing.ts';
import { notSigned, receiveForm } from './upload-form.ts';
import type { StoredFile, Upload } from '../../state/records.ts';
import type { Call, Answered } from '../call.ts';

/**
 * The origin of the signed URLs: an object store of its own, which accepts no bearer tokens.
 * Traffic here does not count as a call with the launch token.
 */
export async function answerBlobs(state: EmulatorState, { request }: Call): Promise<Answered> {
  try {
    if (request.headers.authorization !== undefined) {
      throw new BlobHttpError('InvalidArgument', 'Only one auth mechanism allowed');
    }
    if (request.target === state.chosen.signed.upload) return await answerUpload(state, request);
    return { reply: await answerDownload(state, request), facts: {} };
  } catch (error) {
    if (!(error instanceof BlobHttpError)) throw error;
    const { code, message, expired } = error;
    return { reply: blobErrorReply(state, error), facts: { code, message, expired } };
  }
}

function notAllowed(): never {
  throw new BlobHttpError('MethodNotAllowed', 'The specified method is not allowed here');
}

async function answerDownload(state: EmulatorState, request: PlainRequest): Promise<Reply> {
  const address = readDownload(state, request.target);
  if (address === undefined) throw new BlobHttpError('NoSuchKey', 'The key does not exist');
  if (request.method !== 'GET' && request.method !== 'HEAD') notAllowed();
  if (!address.isSigned) {
    throw new BlobHttpError('SignatureDoesNotMatch', 'The signature does not match');
  }
  if (state.clock.now() >= address.expires) {
    throw new BlobHttpError('AccessDenied', 'Request has expired', request.target);
  }
  const file = storedAs(state, address.blob);
  const isHead = request.method === 'HEAD';
  const bytes = file && (isHead ? null : bytesOf(state, file));
  if (file === undefined || bytes === undefined) {
    throw new BlobHttpError('NoSuchKey', 'The key does not exist');
  }
  return { status: 200, headers: downloadHeaders(file), body: bytes };
}

function bytesOf(state: EmulatorState, file: StoredFile): Readable | undefined {
  return file.has_no_bytes
    ? Readable.from(zeros(file.size), { objectMode: false })
    : state.blobs.read(file.blob);
}

const ZEROS = Buffer.alloc(64 * 1024);

function* zeros(size: number): Generator<Uint8Array> {
  for (let left = size; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left);
}

function storedAs(state: EmulatorState, blob: string): StoredFile | undefined {
  return state.files.first('blob = ?', [blob]);
}

function downloadHeaders(file: StoredFile): Record<string, string> {
  return {
    'content-type': headerText(file.content_type),
    'content-length': String(file.size),
    'content-disposition': dispositionOf(file),
    etag: `"${file.blob}"`,
    'last-modified': new Date(file.modified).toUTCString(),
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  };
}

async function answerUpload(state: EmulatorState, request: PlainRequest): Promise<Answered> {
  if (request.method !== 'POST') notAllowed();
  const { upload, blob } = await receiveForm(state, request);
  try {
    // Of two concurrent uploads with one form, only the first succeeds.
    if (!state.uploads.remove(upload.id)) throw notSigned('it was used already');
    storeFile(state, upload, blob);
    await state.store.whenDurable();
  } catch (error) {
    // No record refers to these bytes.
    state.blobs.discard(blob);
    throw error;
  }
  const { row, key } = upload;
  const reply = { status: state.chosen.uploaded, headers: { etag: `"${blob}"` }, body: null };
  return { reply, facts: { uploaded: { row, key } } };
}

/** Makes the uploaded file visible, in place of one with the same key. */
function storeFile(state: EmulatorState, upload: Upload, blob: string): void {
  const { row, key, size, content_type, filename, attachment } = upload;
  const before = state.files.get(row, key);
  const declared = { row, key, size, content_type, filename, attachment };
  state.files.put({ ...declared, blob, modified: state.clock.now(), has_no_bytes: false });
  if (before !== undefined) state.blobs.remove(before.blob);
}
