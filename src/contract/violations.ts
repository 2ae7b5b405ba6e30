/**
 * The table of all codes: one row per code, with the status and message of the service, the rule of
 * the contract, and a hint.
 *
 * A rule returns violations and knows no HTTP. The emulator responds with the status and message of
 * the first one that is more than a warning; the validator lists them all with hint and rule; the
 * client maps a response back to a code (`recognise`).
 */
import { CREDENTIAL_CODES } from './codes/credentials.ts';
import { FILE_CODES } from './codes/files.ts';
import { GRADE_FILE_CODES } from './codes/grade-files.ts';
import { GRADE_CODES } from './codes/grades.ts';
import { LAUNCH_CODES } from './codes/launches.ts';
import { PATCH_CODES } from './codes/patches.ts';
import type { CodeRow, Example, ExplainedRow, Params } from './codes/code-row.ts';
import { REQUEST_CODES } from './codes/requests.ts';
import { ROW_CODES } from './codes/rows.ts';
import { SERVICE_CODES } from './codes/services.ts';
import { DOCUMENT_CODES, TOOL_CODES } from './codes/tools.ts';
import { classifySize, type SizeLimit } from './limits.ts';

export type { CodeRow, Params, Severity } from './codes/code-row.ts';

/**
 * A violation: a code, a place (a JSON pointer into the payload, '' for all of it), and values for
 * its message.
 */
export interface Violation {
  readonly code: Code;
  readonly path: string;
  readonly params: Params;
}

const table = {
  ...ROW_CODES,
  ...PATCH_CODES,
  ...FILE_CODES,
  ...GRADE_CODES,
  ...CREDENTIAL_CODES,
  ...GRADE_FILE_CODES,
  ...LAUNCH_CODES,
  ...TOOL_CODES,
  ...REQUEST_CODES,
  ...SERVICE_CODES,
  ...DOCUMENT_CODES,
} satisfies Record<string, ExplainedRow>;

export type Code = keyof typeof table;

/** Every code with its entry. */
export const CODES: Readonly<Record<Code, CodeRow>> = table;

/** How a code comes about. */
export function exampleOf(code: Code): Example {
  return table[code].example;
}

/** Makes a violation. `params` fill the message and the hint of the code. */
export function violation(code: Code, path: string, params: Params = {}): Violation {
  return { code, path, params };
}

/**
 * Checks a size against a limit; `codes` are the codes for sizes certainly above it, and for sizes
 * above one reading of KB and MB only.
 */
export function checkLimit(
  size: number,
  limit: SizeLimit,
  [over, uncertain]: readonly [over: Code, uncertain: Code],
  { path = '', ...params }: Params & { readonly path?: string },
): Violation[] {
  const where = classifySize(size, limit);
  if (where === 'within') return [];
  const { bytes, cautiousBytes, label } = limit;
  const code = where === 'over' ? over : uncertain;
  return [violation(code, path, { ...params, limit: bytes, cautious: cautiousBytes, label })];
}

/** The message of a violation with its line and column, where nothing else shows these. */
export function placedMessage({ code, params }: Violation): string {
  const { line, column } = params;
  const message = CODES[code].message(params);
  return line === undefined ? message : `${message} (line ${line}, column ${column})`;
}

/** The texts of a violation: the service's message, the contract's rule, and a hint. */
export function explainViolation({ code, params }: Violation) {
  const { message, rule, hint, severity, status } = CODES[code];
  return { message: message(params), rule, hint: hint(params), severity, status };
}

/** Whether the contract makes the refusal certain. */
export function isCertain(found: Violation): boolean {
  return CODES[found.code].severity === 'error';
}

/** The violation that the service responds with; undefined if it accepts. */
export function refusal(found: readonly Violation[]): Violation | undefined {
  return found.find((each) => CODES[each.code].status !== undefined);
}
