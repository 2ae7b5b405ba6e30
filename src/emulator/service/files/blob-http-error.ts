import { HttpError, type Reply } from '../../http/messages.ts';
import type { EmulatorState } from '../../state/state.ts';

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

/** An error response of the object store. */
export class BlobHttpError extends HttpError {
  /** The path of a download, or the key of a form, that was signed but has expired. */
  readonly expired: string | undefined;

  constructor(code: BlobErrorCode, message: string, expired?: string) {
    super(BLOB_ERRORS[code], code, message);
    this.expired = expired;
  }
}

export function blobErrorReply(
  { chosen }: Pick<EmulatorState, 'chosen'>,
  { status, code, message }: BlobHttpError,
): Reply {
  const { type, body } = chosen.blob_errors;
  return { status, headers: { 'content-type': type }, body: body({ code, message }) };
}
