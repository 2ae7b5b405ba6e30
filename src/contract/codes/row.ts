/** Values for the messages of a code. */
export type Params = Readonly<Record<string, string | number>>;

/**
 * `error`: the contract makes the refusal certain. `warning`: the contract leaves it open, or it is
 * accepted but probably not what was meant. `note`: information, also about valid payloads.
 */
export type Severity = 'error' | 'warning' | 'note';

/** The row of one code in the table of codes. */
export interface CodeRow {
  /** The HTTP status of the refusal; absent if no response of the service has this code. */
  readonly status?: 401 | 403 | 404 | 422;
  readonly severity: Severity;
  /** The service's own message, if the contract gives it. */
  readonly message: (p: Params) => string;
  /** The contract's section, and the rule in a few words. */
  readonly rule: string;
  readonly hint: (p: Params) => string;
}

type Words = CodeRow['message'];

/** An error: the contract makes the refusal certain. */
export const certain = (
  message: Words,
  rule: string,
  hint: Words,
  status: 401 | 403 | 404 | 422 = 422,
): CodeRow => ({ status, severity: 'error', message, rule, hint });

/** A warning: accepted, or left open by the contract. */
export const possible = (message: Words, rule: string, hint: Words): CodeRow => ({
  severity: 'warning',
  message,
  rule,
  hint,
});

/** A note: nothing is wrong. */
export const noted = (message: Words, rule: string, hint: Words): CodeRow => ({
  severity: 'note',
  message,
  rule,
  hint,
});

/** A warning that the emulator refuses, though the contract leaves it open. */
export const refusedPossibly = (message: Words, rule: string, hint: Words): CodeRow => ({
  status: 422,
  severity: 'warning',
  message,
  rule,
  hint,
});

/** An error in something other than a request: a launch, a response of the tool, its files. */
export const wrong = (message: Words, rule: string, hint: Words): CodeRow => ({
  severity: 'error',
  message,
  rule,
  hint,
});
