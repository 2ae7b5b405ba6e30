import type { Example, Params } from './example.ts';

export type { Params } from './example.ts';

/**
 * `error`: the contract makes the refusal certain. `warning`: the contract leaves it open, or it is
 * accepted but probably unintended. `note`: information, also about valid payloads.
 */
export type Severity = 'error' | 'warning' | 'note';

export interface CodeRow {
  /** The HTTP status of the refusal; absent if no response of the service has this code. */
  readonly status?: 401 | 403 | 404 | 422;
  readonly severity: Severity;
  /** The service's own message, if the contract gives it. */
  readonly message: (p: Params) => string;
  /** The contract's section, and the rule in short. */
  readonly rule: string;
  readonly hint: (p: Params) => string;
}

/** A row with what `lectern explain` shows of it. It is made when it is asked for: some are large. */
export type ExplainedRow = CodeRow & { readonly example: () => Example };

type Words = CodeRow['message'];
type Shown = ExplainedRow['example'];

/** An error: the contract makes the refusal certain. */
export const certain = (
  message: Words,
  rule: string,
  hint: Words,
  example: Shown,
  status: 401 | 403 | 404 | 422 = 422,
): ExplainedRow => ({ status, severity: 'error', message, rule, hint, example });

/** A warning: accepted, or left open by the contract. */
export const possible = (
  message: Words,
  rule: string,
  hint: Words,
  example: Shown,
): ExplainedRow => ({ severity: 'warning', message, rule, hint, example });

/** A note: nothing is wrong. */
export const noted = (message: Words, rule: string, hint: Words, example: Shown): ExplainedRow => ({
  severity: 'note',
  message,
  rule,
  hint,
  example,
});

/** A warning that the emulator refuses, though the contract leaves it open. */
export const refusedPossibly = (
  message: Words,
  rule: string,
  hint: Words,
  example: Shown,
): ExplainedRow => ({ status: 422, severity: 'warning', message, rule, hint, example });

/** An error in something other than a request: a launch, a response of the tool, its files. */
export const wrong = (message: Words, rule: string, hint: Words, example: Shown): ExplainedRow => ({
  severity: 'error',
  message,
  rule,
  hint,
  example,
});
