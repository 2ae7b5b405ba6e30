import { LecternError } from '../errors.ts';

/** There is no credential, or one of the wrong kind. */
export class CredentialError extends LecternError {
  override readonly name = 'CredentialError';
  readonly code = 'credential';
}

/**
 * A command did its work and printed its result, and the result itself is not "done": an attempt
 * recorded as failed (9), a difference found (1). `message` goes to stderr, where there is one.
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
