import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { BlobHttpError } from './blob-http-error.ts';
import { drain, type PlainRequest } from '../../http/messages.ts';
import type { EmulatorState } from '../../state/state.ts';
import { hasPassed, uploadOf } from './signing.ts';
import type { Upload } from '../../state/records.ts';

export function notSigned(why: string, expired?: string): BlobHttpError {
  return new BlobHttpError('AccessDenied', `Invalid according to Policy: ${why}`, expired);
}

/**
 * Limits of a form's fields in memory: a signed form has seven of about a hundred bytes each. A form
 * with more or longer fields is refused.
 */
const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = 20_000;

function fieldsTooLarge(): BlobHttpError {
  const message = `At most ${MAX_FIELDS} fields of ${MAX_FIELD_BYTES} bytes may precede the file`;
  return new BlobHttpError('MaxPostPreDataLengthExceeded', message);
}

interface Received {
  readonly upload: Upload;
  /** The ID of the bytes among the blobs, whole and durable. */
  readonly blob: string;
}

/**
 * Receives a posted form ("Upload sequence": "every entry of `fields` first and the file last in a
 * form field named `file`"). The bytes are stored as they arrive; the fields are checked when the file
 * begins. The body is read to its end in any case, so that the caller can read the response.
 */
export async function receiveForm(state: EmulatorState, request: PlainRequest): Promise<Received> {
  const parser = parserOf(request);
  if (parser === undefined) {
    await drain(request);
    throw new BlobHttpError('PreconditionFailed', 'POST needs multipart/form-data');
  }
  const form = new Form(state, parser);
  try {
    await feed(parser, request.body);
  } catch (error) {
    await form.abandon(error as Error);
    throw error;
  }
  return form.finish();
}

function parserOf({ headers }: PlainRequest): BusboyInstance | undefined {
  const type = headers['content-type'];
  if (typeof type !== 'string' || !/^multipart\/form-data *;/i.test(type)) return undefined;
  try {
    const limits = { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES };
    const isPartAFile = (name: string | undefined): boolean => name === 'file';
    return new Busboy({ headers: { 'content-type': type }, limits, isPartAFile });
  } catch {
    return undefined; // no boundary, for one
  }
}

/** A form in the course of being parsed. */
class Form {
  readonly #state: EmulatorState;
  readonly #fields = new Map<string, string>();
  #stream: BusboyFileStream | undefined;
  #file: Promise<Received> | undefined;
  #isFileLast = true;
  /** False if a field was left out or truncated. */
  #areFieldsWhole = true;

  constructor(state: EmulatorState, parser: BusboyInstance) {
    this.#state = state;
    parser.on('field', (name, value, _isNameCut, isValueCut) => {
      if (isValueCut) this.#areFieldsWhole = false;
      if (this.#file !== undefined) this.#isFileLast = false;
      const before = this.#fields.get(name);
      this.#fields.set(name, before === undefined ? value : `${before},${value}`);
    });
    parser.on('fieldsLimit', () => {
      this.#areFieldsWhole = false;
    });
    parser.on('file', (_name, stream) => this.#addFile(stream));
  }

  #addFile(stream: BusboyFileStream): void {
    stream.on('error', () => {}); // the parser itself reports an incomplete body
    if (this.#file !== undefined) {
      this.#isFileLast = false;
      stream.resume();
      return;
    }
    this.#stream = stream;
    this.#file = this.#receiveFile(stream);
    this.#file.catch(() => {}); // `finish` reports it
  }

  /** Checks the fields and stores the file, which must have exactly the declared size. */
  async #receiveFile(stream: BusboyFileStream): Promise<Received> {
    try {
      if (!this.#areFieldsWhole) throw fieldsTooLarge();
      const upload = checkForm(this.#state, this.#fields);
      return { upload, blob: await storeBytes(this.#state, upload.size, stream) };
    } catch (error) {
      // The parser waits until the file has been read.
      stream.resume();
      throw error;
    }
  }

  async finish(): Promise<Received> {
    if (this.#file === undefined) {
      throw new BlobHttpError('InvalidArgument', 'POST requires exactly one file field');
    }
    const received = await this.#file;
    if (this.#isFileLast && this.#areFieldsWhole) return received;
    this.#state.blobs.discard(received.blob);
    if (!this.#areFieldsWhole) throw fieldsTooLarge();
    throw new BlobHttpError('InvalidArgument', 'The file must be the last field');
  }

  /** Removes what was stored of an incomplete form. */
  async abandon(reason: Error): Promise<void> {
    this.#stream?.destroy(reason);
    const received = await this.#file?.catch(() => undefined);
    if (received !== undefined) this.#state.blobs.discard(received.blob);
  }
}

/** Reads a body to its end and stores nothing; resolves with the key of its form, where it has one. */
export async function readFormKey(
  { chosen }: Pick<EmulatorState, 'chosen'>,
  { body }: PlainRequest,
): Promise<string | undefined> {
  let head = '';
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    if (head.length < MAX_FIELD_BYTES) head += Buffer.from(chunk).toString('latin1');
  }
  const lines = head.split('\r\n');
  const name = [`name="${chosen.form.key}"`, `name=${chosen.form.key}`];
  const field = lines.findIndex((line) => name.some((each) => line.includes(each)));
  const blank = field === -1 ? -1 : lines.indexOf('', field);
  return blank === -1 ? undefined : lines[blank + 1];
}

/** Passes the body to the parser, each chunk after the previous one was consumed. */
async function feed(parser: BusboyInstance, body: PlainRequest['body']): Promise<void> {
  let fault: BlobHttpError | undefined;
  const ended = new Promise<void>((resolve) => {
    parser.on('finish', resolve);
    parser.on('error', (error) => {
      const why = error instanceof Error ? error.message : 'unreadable';
      fault ??= new BlobHttpError('MalformedPOSTRequest', why);
      resolve();
    });
  });
  const write = (chunk: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      parser.write(chunk, () => resolve());
    });
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    if (fault === undefined) await Promise.race([write(chunk), ended]);
  }
  parser.end();
  await ended;
  if (fault !== undefined) throw fault;
}

/** Stores the bytes of a file; resolves with their ID among the blobs once they are durable. */
function storeBytes(
  { blobs, newId }: EmulatorState,
  declared: number,
  stream: BusboyFileStream,
): Promise<string> {
  return blobs.store(newId(), async (write) => {
    let size = 0;
    // A destroyed stream is not read further, and the parser would wait for it forever.
    const chunks: AsyncIterable<Uint8Array> = stream.iterator({ destroyOnReturn: false });
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size <= declared) await write(chunk);
    }
    checkSize(size, declared);
  });
}

/** "Storage refuses an upload that does not match." */
function checkSize(size: number, declared: number): void {
  if (size === declared) return;
  const isMore = size > declared;
  const code = isMore ? 'EntityTooLarge' : 'EntityTooSmall';
  const word = isMore ? 'more' : 'less';
  const message = `Your proposed upload is ${word} than the declared size of ${declared} bytes`;
  throw new BlobHttpError(code, message);
}

/** Finds the upload of a form, and checks that all fields are as they were signed. */
function checkForm(state: EmulatorState, fields: ReadonlyMap<string, string>): Upload {
  const { form } = state.chosen;
  const key = fields.get(form.key);
  if (key === undefined) throw notSigned(`the field ${form.key} is missing`);
  const upload = uploadOf(state, fields);
  if (upload === undefined) {
    const expired = hasPassed(state, fields) ? key : undefined;
    throw notSigned('it was never signed, or is used already', expired);
  }
  for (const [name, value] of Object.entries(upload.fields)) {
    const given = fields.get(name);
    if (given === undefined) throw notSigned(`the field ${name} is missing`);
    if (given !== value) throw notSigned(`the field ${name} has a different value`);
  }
  const extra = [...fields.keys()].find((name) => !Object.hasOwn(upload.fields, name));
  if (extra !== undefined) throw notSigned(`extra input field ${extra}`);
  if (state.clock.now() >= upload.expires) throw notSigned('Policy expired.', key);
  return upload;
}
