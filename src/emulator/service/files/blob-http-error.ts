import type { Reply } from '../../http/messages.ts';

/** An error response of the object store, in XML as real ones send it. */
export class BlobHttpError extends Error {
  override readonly name = 'BlobHttpError';
  readonly status: number;
  readonly code: string;
  /** What was signed right and has expired: the path of a download, the key of a form. */
  readonly expired: string | undefined;

  constructor(status: number, code: string, message: string, expired?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.expired = expired;
  }
}

/** The response for an error of the object store. */
export function blobErrorReply({ status, code, message }: BlobHttpError): Reply {
  const escaped = message.replace(/[&<>]/g, (found) => `&#${found.charCodeAt(0)};`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
