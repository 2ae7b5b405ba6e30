import type { StreamedBody } from './transport.ts';

/** A file to upload: its bytes may be read again if a form has expired. */
export interface UploadSource extends StreamedBody {
  readonly filename: string;
  readonly mimetype: string;
}

/**
 * The `multipart/form-data` body of the upload sequence: every entry of `fields` first, in order, and
 * the file last in a field named `file`. The file's bytes are streamed.
 */
export function multipartBody(
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
