import type { Finding } from './validator/finding.ts';

/** The message of whatever was thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** The errors of engines and commands, distinguished by `code`. */
export abstract class LecternError extends Error {
  abstract readonly code: string;
  /** What to do about it. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** A finding of the validator, or one of the same form about something else. */
export type ReportedFinding = Omit<Finding, 'code'> & { readonly code: string };

/** The service would certainly refuse this; nothing was sent. */
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

/** The call itself is invalid: contradictory options, or something that does not exist. */
export class UsageError extends LecternError {
  override readonly name = 'UsageError';
  readonly code = 'usage';
}

abstract class CodedError extends LecternError {
  readonly code: string;

  constructor(
    code: string,
    message: string,
    { hint, ...options }: ErrorOptions & { readonly hint?: string } = {},
  ) {
    super(message, hint, options);
    this.code = code;
  }
}

/** A write was sent, and it is unknown whether it took effect: do not repeat it without asking. */
export class DoubtError extends CodedError {
  override readonly name = 'DoubtError';
}

/** The answer to a write was lost, and what it would have changed is unchanged. */
export class UntouchedError extends CodedError {
  override readonly name = 'UntouchedError';
}

/** The target of a write has changed since it was read, and was left alone. */
export class ChangedError extends CodedError {
  override readonly name = 'ChangedError';
}

/** Something does not exist, as found by lectern itself, such as the value at a pointer. */
export class NotFoundError extends LecternError {
  override readonly name = 'NotFoundError';
  readonly code = 'not_found';
}

/** Interrupted, or declined by the user: nothing was done. */
export class InterruptedError extends LecternError {
  override readonly name = 'InterruptedError';
  readonly code = 'interrupted';
}

export function interruptedError(): InterruptedError {
  return new InterruptedError('interrupted; nothing was done');
}

/** Local state cannot be read or written: disk, permissions. */
export class StateError extends LecternError {
  override readonly name = 'StateError';
  readonly code = 'state';
}
