import type { Finding } from '../validator/finding.ts';

/** A finding of the validator's, or of the same form about what is no payload. */
export type ToldFinding = Omit<Finding, 'code'> & { readonly code: string };

/** The command line itself is wrong, or an answer is needed and nobody can be asked (exit 2). */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The service would refuse this for certain, so it is refused here and nothing is sent (exit 3). */
export class InvalidError extends Error {
  override readonly name = 'InvalidError';
  readonly code: string;
  readonly hint: string | undefined;
  readonly findings: readonly ToldFinding[];

  constructor(
    message: string,
    options: { code?: string; hint?: string; findings?: readonly ToldFinding[] } = {},
  ) {
    super(message);
    this.code = options.code ?? options.findings?.[0]?.code ?? 'invalid';
    this.hint = options.hint ?? options.findings?.[0]?.hint;
    this.findings = options.findings ?? [];
  }
}

/** There is no credential, or one of the wrong kind (exit 4). */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** What was asked for is not there, by lectern's own reading: a pointer at nothing (exit 6). */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The user interrupted, or declined a question: nothing was done (exit 130). */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** The machine did not let lectern keep or read something: disk, permissions (exit 1, no bug report). */
export class StateError extends Error {
  override readonly name = 'StateError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/**
 * A command did its work and printed its result, and the result itself is not "done": an attempt
 * recorded as failed (9), a difference found (1). `message` goes to stderr, where there is one.
 */
export class Outcome extends Error {
  override readonly name = 'Outcome';
  readonly exit: number;
  readonly code: string;

  constructor(exit: number, code: string, message = '') {
    super(message);
    this.exit = exit;
    this.code = code;
  }
}
