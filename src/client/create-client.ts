import {
  type Area,
  checkKey,
  checkObject,
  explainViolation,
  type FileItem,
  type FileRecord,
  fileUrl,
  isGradeAttempt,
  isLoopback,
  isObject,
  originOf,
  readObject,
  splitUrl,
  type Violation,
  withoutQuery,
} from '../contract/index.ts';
import { systemClock } from '../clock.ts';
import { decodeUtf8 } from '../json/index.ts';
import { type Answer, call, type Call, type CallSettings, unusable } from './call.ts';
import type { Client, ClientOptions } from './client.ts';
import { createTransport } from './create-transport.ts';
import { checkedCredential, type Credential, checkCredentialUse } from './credential.ts';
import { NoAnswer, UnusableUrl } from './errors.ts';
import { multipartBody } from './multipart.ts';
import { watchLocalErrors } from './local-errors.ts';
import { type Redact, redactJson, redactor } from './redact.ts';
import { readSignedForm } from './signed-form.ts';

/** Default of `timeoutMs`. */
const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * Creates a client that calls the URLs of a launch with one credential.
 *
 * @throws {CredentialMisuse} the credential is not valid in a header, or its origin is not a URL
 * @example
 * const launch = readLaunch(claims);
 * const client = createClient(credentialOf(claims));
 * const bytes = await client.getRow(launch.storage.member);
 */
export function createClient(given: Credential, options: ClientOptions = {}): Client {
  const credential = checkedCredential(given);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock, signal, observe } = options;
  const own = createTransport();
  const settings = {
    transport: options.transport ?? own.transport,
    now: clock.now,
    monotonic: clock.monotonic,
    setTimer: clock.setTimer,
    timeoutMs,
    ...(signal ? { signal } : {}),
    ...(observe ? { observe } : {}),
  };
  const cancels = new Set<() => void>();
  signal?.addEventListener('abort', () => cancels.forEach((cancel) => cancel()));
  const redact = redactor(credential.secret);
  const known: CallSettings = { ...settings, redact, cancels };
  const send = (request: Call): Promise<Answer> => {
    checkCredentialUse(credential, request);
    const authorization = `Bearer ${credential.secret}`;
    return call(known, { ...request, headers: { ...request.headers, authorization } });
  };
  /** Signed URLs and forms are credentials too, and object stores often repeat the request. */
  const hiding = (signatures: () => readonly string[]): CallSettings => {
    let made: Redact | undefined;
    return {
      ...known,
      redact: (text) => (made ??= redactor(credential.secret, signatures()))(text),
    };
  };
  const sendJson = (
    area: Area,
    method: 'PUT' | 'PATCH' | 'POST',
    url: string,
    body: Uint8Array,
  ): Promise<Answer> =>
    send({ area, method, url, body, headers: { 'content-type': 'application/json' } });
  const readJson = (request: Pick<Call, 'method'>, answer: Answer): unknown =>
    readText(request, answer, decodeUtf8).value;
  /** The text of an answer, decoded by `read`, and its parsed value. */
  const readText = (
    request: Pick<Call, 'method'>,
    answer: Answer,
    read: (bytes: Uint8Array) => string,
  ): { text: string; value: unknown } => {
    try {
      const text = read(answer.bytes);
      return { text, value: JSON.parse(text) };
    } catch {
      throw unusable(known, request, answer, 'its body is not JSON');
    }
  };
  /** The bytes of a JSON answer with secrets redacted. */
  const shown = ({ bytes }: Answer): Uint8Array => {
    const text = decodeUtf8(bytes);
    const redacted = redactJson(text, redact);
    return redacted === text ? bytes : new TextEncoder().encode(redacted);
  };
  const notARow = (request: Pick<Call, 'method'>, answer: Answer, wrong: Violation): NoAnswer => {
    const { message } = explainViolation(wrong);
    return unusable(known, request, answer, `its body is not a JSON object: ${message}`);
  };
  /** A write is answered with 204; a body comes from something else, such as a proxy. */
  const needNoBody = (method: Call['method'], answer: Answer): void => {
    if (answer.bytes.length === 0) return;
    throw unusable(known, { method }, answer, 'it has a body, but should be empty');
  };

  return {
    async getRow(url) {
      const request = { area: 'storage', method: 'GET', url } as const;
      const answer = await send(request);
      const wrong = checkObject(answer.bytes);
      if (wrong === undefined) return answer.bytes;
      throw notARow(request, answer, wrong);
    },

    async readRow(url) {
      const request = { area: 'storage', method: 'GET', url } as const;
      const answer = await send(request);
      const read = readObject(answer.bytes);
      if (!('violation' in read)) return read;
      throw notARow(request, answer, read.violation);
    },

    async readStored(url) {
      const { bytes } = await send({ area: 'storage', method: 'GET', url });
      const read = readObject(bytes);
      if (!('violation' in read)) return read;
      // A text of a character for each byte: it may be no UTF-8, and a credential is ASCII.
      const masked = redact(Buffer.from(bytes).toString('latin1'));
      return { bytes: Buffer.from(masked, 'latin1'), violation: read.violation };
    },

    async putRow(url, body) {
      needNoBody('PUT', await sendJson('storage', 'PUT', url, body));
    },

    async patchRow(url, body) {
      needNoBody('PATCH', await sendJson('storage', 'PATCH', url, body));
    },

    async listFiles(url) {
      const request = { area: 'files', method: 'GET', url } as const;
      const answer = await send(request);
      const items = readJson(request, answer);
      if (Array.isArray(items) && items.every(isFileItem)) return { items, bytes: shown(answer) };
      throw unusable(known, request, answer, 'its body is not a list of files');
    },

    async fileRecord(filesUrl, key) {
      const request = { area: 'files', method: 'GET', url: keyUrl(filesUrl, key) } as const;
      const answer = await send(request);
      const record = readJson(request, answer);
      if (isFileRecord(record)) return { record, bytes: shown(answer) };
      throw unusable(known, request, answer, 'its body is not a file record');
    },

    async declareFile(filesUrl, key, body) {
      const url = keyUrl(filesUrl, key);
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      const answer = await sendJson('files', 'PUT', url, bytes);
      const request = { method: 'PUT' } as const;
      const form = readSignedForm(answer.bytes);
      if (form) return form;
      throw unusable(known, request, answer, 'its body is not a signed upload form');
    },

    async uploadFile(form, file) {
      checkSignedAddress(form.url, credential.origin);
      const boundary = `----lectern${crypto.randomUUID()}`;
      const local = watchLocalErrors();
      const source = { ...file, chunks: () => local.reading(file.chunks()) };
      const { contentType, body } = multipartBody(form.fields, source, boundary);
      const headers = { 'content-type': contentType };
      const signed = hiding(() => [...queryParts(form.url), ...form.fields.flatMap(fieldParts)]);
      await local.rethrow(
        call(signed, { area: 'signed', method: 'POST', url: form.url, headers, body }),
      );
    },

    async downloadFile(url, sink) {
      const split = splitUrl(url);
      if ('fault' in split) {
        const why = `the URL of the record cannot be called: ${split.fault}`;
        throw new NoAnswer(why, { reason: 'unusable', inDoubt: false });
      }
      checkSignedAddress(url, credential.origin);
      const request = { area: 'signed', method: 'GET', url } as const;
      const local = watchLocalErrors();
      let size = 0;
      const take = (chunk: Uint8Array): Promise<void> => {
        size += chunk.length;
        return local.writing(sink.take(chunk));
      };
      const counted = { length: sink.length, take };
      const signed = hiding(() => queryParts(url));
      const answer = await local.rethrow(call(signed, { ...request, sink: counted }));
      if (size === sink.length) return;
      const why = `it has ${size} bytes, but the record says ${sink.length}`;
      throw unusable(known, request, answer, why);
    },

    async deleteFile(filesUrl, key) {
      const request = { area: 'files', method: 'DELETE', url: keyUrl(filesUrl, key) } as const;
      needNoBody('DELETE', await send(request));
    },

    async submitGrade(url, body) {
      const answer = await sendJson('grade', 'POST', url, body);
      const request = { method: 'POST' } as const;
      // The record is kept and shown as it came, and must not carry the credential there.
      const { text, value } = readText(request, answer, (bytes) =>
        redactJson(decodeUtf8(bytes), redact),
      );
      if (isGradeAttempt(value)) return { attempt: value, text, status: answer.status };
      throw unusable(known, request, answer, 'its body is not a grade attempt');
    },

    async finishProvision(url) {
      needNoBody('PUT', await send({ area: 'provision', method: 'PUT', url }));
    },

    close: own.close,
  };
}

/** The URL of a file; refuses an invalid key: `..` would lead out of the file set. */
function keyUrl(filesUrl: string, key: string): string {
  const [wrong] = checkKey(key);
  if (wrong) throw new UnusableUrl(explainViolation(wrong).message);
  return fileUrl(filesUrl, key);
}

/** A signed URL of an https service must be https: its bytes are a student's. */
function checkSignedAddress(url: string, serviceOrigin: string): void {
  const origin = originOf(url);
  if (origin === undefined || !origin.startsWith('http:') || isLoopback(origin)) return;
  if (serviceOrigin.startsWith('https:')) {
    throw new UnusableUrl(`the service is https, but the signed URL at ${origin} is not`);
  }
}

/** The parts of a signed URL's query, encoded and decoded: pairs, names, values. */
function queryParts(url: string): string[] {
  const query = url.slice(withoutQuery(url).length + 1);
  return [...query.split('&'), ...query.split(/[&=]/), ...[...new URLSearchParams(query)].flat()];
}

/** The value of a form field, and its words: the storage may repeat one of them. */
function fieldParts([, value]: readonly [name: string, value: string]): string[] {
  return [value, ...value.split(/\s+/)];
}

function isFileItem(value: unknown): value is FileItem {
  return isObject(value) && typeof value.key === 'string' && typeof value.size === 'number';
}

function isFileRecord(value: unknown): value is FileRecord {
  return isFileItem(value) && 'url' in value && typeof value.url === 'string';
}
