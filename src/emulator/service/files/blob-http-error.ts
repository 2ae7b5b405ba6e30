import { HttpError, type Reply } from '../../http/messages.ts';

/** The errors of the object store, with their status. */
export const BLOB_ERRORS = {
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  InvalidArgument: 400,
  MalformedPOSTRequest: 400,
  MaxPostPreDataLengthExceeded: 400,
  AccessDenied: 403,
  SignatureDoesNotMatch: 403,
  NoSuchKey: 404,
  MethodNotAllowed: 405,
  PreconditionFailed: 412,
  InternalError: 500,
  ServiceUnavailable: 503,
} as const;
type BlobErrorCode = keyof typeof BLOB_ERRORS;

/** An error response of the object store, in XML as real ones send it. */
export class BlobHttpError extends HttpError {
  /** The path of a download, or the key of a form, that was signed but has expired. */
  readonly expired: string | undefined;

  constructor(code: BlobErrorCode, message: string, expired?: string) {
    super(BLOB_ERRORS[code], code, message);
    this.expired = expired;
  }
}

export function blobErrorReply({ status, code, message }: BlobHttpError): Reply {
  const escaped = message.replace(/[&<>]/g, (found) => `&#${found.charCodeAt(0)};`);
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
