import type { Reply } from '../http/messages.ts';

/** A refusal of the object store, which speaks XML as real ones do. */
export class BlobHttpError extends Error {
  override readonly name = 'BlobHttpError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The answer that a refusal of the object store is. */
export function blobErrorReply({ status, code, message }: BlobHttpError): Reply {
  const escaped = message.replace(/[&<>]/g, (found) => `&#${found.charCodeAt(0)};`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
