import { isLoopback, originOf, splitUrl, withoutQuery } from '../contract/index.ts';
import { call, type CallSettings, COMMON_HEADERS, unusable } from './call.ts';
import type { Client, UploadSource } from './client.ts';
import type { StreamedBody } from './transport.ts';
import type { Credential } from './credential.ts';
import { NoAnswer, UnusableUrl } from './errors.ts';
import { isSecret, type Redact, redactor } from '../redaction.ts';

/** The calls of signed forms and URLs, to an object store on another origin, without the credential. */
export function signedCalls(
  credential: Credential,
  settings: CallSettings,
): Pick<Client, 'uploadFile' | 'downloadFile'> {
  /** Signed URLs and forms are credentials too, and object stores often repeat the request. */
  const hiding = (signatures: () => readonly string[]): CallSettings => {
    let redact: Redact | undefined;
    return {
      ...settings,
      redact: (text) => (redact ??= redactor([credential.secret, ...signatures()]))(text),
    };
  };

  return {
    async uploadFile(form, file) {
      checkSignedAddress(form.url, credential.origin);
      const boundary = `----lectern${crypto.randomUUID()}`;
      const { contentType, body } = multipartBody(form.fields, file, boundary);
      const headers = { ...COMMON_HEADERS, 'content-type': contentType };
      const signed = hiding(() => [...queryParts(form.url), ...form.fields.flatMap(fieldParts)]);
      await call(signed, { area: 'signed', method: 'POST', url: form.url, headers, body });
    },

    async downloadFile(url, sink) {
      const split = splitUrl(url);
      if ('fault' in split) {
        const why = `the URL of the record cannot be called: ${split.fault}`;
        throw new NoAnswer(why, { reason: 'unusable', inDoubt: false });
      }
      checkSignedAddress(url, credential.origin);
      const request = { area: 'signed', method: 'GET', url, headers: COMMON_HEADERS } as const;
      const signed = hiding(() => queryParts(url));
      const answer = await call(signed, { ...request, sink });
      if (answer.size === sink.length) return;
      const why = `it has ${answer.size} bytes, but the record says ${sink.length}`;
      throw unusable(settings, request, answer, why);
    },
  };
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
  const decoded = [...new URLSearchParams(query)].flat();
  return [...query.split('&'), ...query.split(/[&=]/), ...decoded].filter(isSecret);
}

/** The value of a form field, and its words: the storage may repeat one of them. */
function fieldParts([, value]: readonly [name: string, value: string]): string[] {
  return [value, ...value.split(/\s+/)].filter(isSecret);
}

/**
 * The `multipart/form-data` body of the upload sequence: every entry of `fields` first, in order, and
 * the file last in a field named `file`. The file's bytes are streamed.
 */
function multipartBody(
  fields: readonly (readonly [string, string])[],
  file: UploadSource,
  boundary: string,
): { contentType: string; body: StreamedBody } {
  const encoder = new TextEncoder();
  const parts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  );
  const fileHead =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; ` +
    `filename="${quoted(file.filename)}"\r\nContent-Type: ${file.mimetype}\r\n\r\n`;
  const head = encoder.encode(parts.join('') + fileHead);
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* file.chunks();
    yield tail;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: { length: head.length + file.length + tail.length, chunks },
  };
}

/** Names as browsers write them in a form. */
function quoted(name: string): string {
  return name.replace(/\r\n|\r|\n/g, '%0D%0A').replace(/"/g, '%22');
}
