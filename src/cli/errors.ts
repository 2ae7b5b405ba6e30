import { EXIT } from './exit-codes.ts';
import type { Finding } from '../validator/finding.ts';
import { findingWithCommand } from './output/command-hints.ts';

/** A finding of the validator's, or of the same form about what is no payload. */
export type ToldFinding = Omit<Finding, 'code'> & { readonly code: string };

/** What a command ends with where it is not done: how that is told, and the exit code. */
export abstract class CliError extends Error {
  abstract readonly code: string;
  abstract readonly exit: number;
  /** The way out. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** The command line itself is wrong, or an answer is needed and nobody can be asked. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
  readonly code = 'usage';
  readonly exit = EXIT.usage;
}

/** The service would refuse this for certain, so it is refused here and nothing is sent. */
export class InvalidError extends CliError {
  override readonly name = 'InvalidError';
  readonly code: string;
  readonly exit = EXIT.invalid;
  readonly findings: readonly ToldFinding[];

  constructor(
    message: string,
    options: { code?: string; hint?: string; findings?: readonly ToldFinding[] } = {},
  ) {
    const findings = (options.findings ?? []).map(findingWithCommand);
    super(message, options.hint ?? findings[0]?.hint);
    this.code = options.code ?? findings[0]?.code ?? 'invalid';
    this.findings = findings;
  }
}

/** There is no credential, or one of the wrong kind. */
export class CredentialError extends CliError {
  override readonly name = 'CredentialError';
  readonly code = 'credential';
  readonly exit = EXIT.unauthenticated;
}

/** What was asked for is not there, by lectern's own reading: a pointer at nothing. */
export class NotFoundError extends CliError {
  override readonly name = 'NotFoundError';
  readonly code = 'not_found';
  readonly exit = EXIT.notFound;
}

/** The user interrupted, or declined a question: nothing was done. */
export class InterruptedError extends CliError {
  override readonly name = 'InterruptedError';
  readonly code = 'interrupted';
  readonly exit = EXIT.interrupted;
}

/** The machine did not let lectern keep or read something: disk, permissions. No bug, though unexpected. */
export class StateError extends CliError {
  override readonly name = 'StateError';
  readonly code = 'state';
  readonly exit = EXIT.unexpected;
}

/**
 * A command did its work and printed its result, and the result itself is not "done": an attempt
 * recorded as failed (9), a difference found (1). `message` goes to stderr, where there is one.
 */
export class Outcome extends CliError {
  override readonly name = 'Outcome';
  readonly code: string;
  readonly exit: number;

  constructor(exit: number, code: string, message = '') {
    super(message);
    this.exit = exit;
    this.code = code;
  }
}
