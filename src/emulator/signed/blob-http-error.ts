import type { Reply } from '../http/messages.ts';

/** An error response of the object store, in XML as real ones send it. */
export class BlobHttpError extends Error {
  override readonly name = 'BlobHttpError';
  readonly status: number;
  readonly code: string;
  /** What was signed was right, and is over. */
  readonly hasExpired: boolean;

  constructor(status: number, code: string, message: string, hasExpired = false) {
    super(message);
    this.status = status;
    this.code = code;
    this.hasExpired = hasExpired;
  }
}

/** The response for an error of the object store. */
export function blobErrorReply({ status, code, message }: BlobHttpError): Reply {
  const escaped = message.replace(/[&<>]/g, (found) => `&#${found.charCodeAt(0)};`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
