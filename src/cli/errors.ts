import type { CredentialFault } from '../client/index.ts';
import { LecternError } from '../errors.ts';

/** A credential that a command cannot use; the same faults as the client's. */
export class CredentialError extends LecternError {
  override readonly name = 'CredentialError';
  readonly code: string;

  constructor(fault: CredentialFault, message: string, hint?: string) {
    super(message, hint);
    this.code = `credential.${fault}`;
  }
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
