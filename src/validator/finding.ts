import {
  type Code,
  explainViolation,
  locate,
  type Severity,
  type Violation,
} from '../contract/index.ts';

/** What the validator found, in the words that a person or a program needs to act on it. */
export interface Finding {
  readonly code: Code;
  readonly severity: Severity;
  /** A JSON pointer into the payload; for a launch a claim path such as `api.token`; '' is the whole. */
  readonly path: string;
  /** From 1; null where the finding is about no place in the text. */
  readonly line: number | null;
  /** From 1, in UTF-16 units. */
  readonly column: number | null;
  readonly message: string;
  /** The contract's section, and the rule in a few words. */
  readonly rule: string;
  readonly hint: string;
}

/** Turns a violation into a finding; with the payload's text it gets its line and column. */
export function toFinding(found: Violation, text?: string): Finding {
  const { severity, message, rule, hint } = explainViolation(found);
  const { line, column } = positionOf(found, text);
  return { code: found.code, severity, path: found.path, line, column, message, rule, hint };
}

/**
 * Turns violations into findings, in their order. Each place is looked for in the text from its
 * start, so that only the first ones get line and column in a payload that is wrong all over.
 */
export function toFindings(found: readonly Violation[], text?: string): Finding[] {
  return found.map((each, index) => toFinding(each, index < MAX_LOCATED ? text : undefined));
}

const MAX_LOCATED = 100;

function positionOf(found: Violation, text: string | undefined): Pick<Finding, 'line' | 'column'> {
  const { line, column } = found.params;
  if (typeof line === 'number' && typeof column === 'number') return { line, column };
  const nowhere = { line: null, column: null };
  if (text === undefined || !found.path.startsWith('/')) return nowhere;
  return locate(text, found.path) ?? nowhere;
}
