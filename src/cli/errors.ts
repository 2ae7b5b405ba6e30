import { LecternError } from '../errors.ts';

/** The credential is missing, or of the wrong kind. */
export class CredentialError extends LecternError {
  override readonly name = 'CredentialError';
  readonly code = 'credential';
}

/**
 * A command completed and printed its result, but the result itself is not "done": an attempt
 * recorded as failed (9), a difference found (1). `message` is printed on stderr, if there is one.
 */
export class ExitError extends LecternError {
  override readonly name = 'ExitError';
  readonly code: string;
  readonly exit: number;

  constructor(
    exit: number,
    code: string,
    message = '',
    options: ErrorOptions & { readonly hint?: string | undefined } = {},
  ) {
    super(message, options.hint, options);
    this.exit = exit;
    this.code = code;
  }
}
