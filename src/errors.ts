import type { Finding } from './validator/finding.ts';

/** What an engine or a command ends with where it is not done. A caller tells errors apart by `code`. */
export abstract class LecternError extends Error {
  abstract readonly code: string;
  /** The way out, in words. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** A finding of the validator's, or one of the same form about something that is not a payload. */
export type ReportedFinding = Omit<Finding, 'code'> & { readonly code: string };

/** The service would refuse this for certain, so it is refused here and nothing is sent. */
export class InvalidError extends LecternError {
  override readonly name = 'InvalidError';
  readonly code: string;
  readonly findings: readonly ReportedFinding[];

  constructor(
    message: string,
    options: { code?: string; hint?: string; findings?: readonly ReportedFinding[] } = {},
  ) {
    const { findings = [] } = options;
    super(message, options.hint ?? findings[0]?.hint);
    this.code = options.code ?? findings[0]?.code ?? 'invalid';
    this.findings = findings;
  }
}

/** The call itself is wrong: it contradicts itself, or names what cannot be meant. */
export class UsageError extends LecternError {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

/** A write was sent, and nobody knows whether it took effect: it must not be repeated unasked. */
export class DoubtError extends LecternError {
  override readonly name = 'DoubtError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, undefined, options);
    this.code = code;
  }
}

/** The answer to a write was lost, and what it would have changed reads as it did before. */
export class UntouchedError extends LecternError {
  override readonly name = 'UntouchedError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, undefined, options);
    this.code = code;
  }
}

/** What was about to be replaced is no longer what was looked at, and was left alone. */
export class ChangedError extends LecternError {
  override readonly name = 'ChangedError';
  readonly code: string;

  constructor(code: string, message: string, hint?: string) {
    super(message, hint);
    this.code = code;
  }
}

/** What was asked for is not there, by lectern's own reading: a pointer at nothing. */
export class NotFoundError extends LecternError {
  override readonly name = 'NotFoundError';
  readonly code = 'not_found';
}

/** The user interrupted, or declined a question: nothing was done. */
export class InterruptedError extends LecternError {
  override readonly name = 'InterruptedError';
  readonly code = 'interrupted';
}

/** The machine did not let lectern keep or read something: disk, permissions. No bug, though unexpected. */
export class StateError extends LecternError {
  override readonly name = 'StateError';
  readonly code = 'state';
}
