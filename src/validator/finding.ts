import { type Code, explainViolation, type Severity, type Violation } from '../contract/index.ts';
import { locateAll } from '../json/index.ts';

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

/** Whether the service would refuse this, and not only may. */
export function isError({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity === 'error';
}

/** Turns a violation into a finding; with the payload's text it gets its line and column. */
export function toFinding(found: Violation, text?: string): Finding {
  return toFindings([found], text)[0] as Finding;
}

/** The same for all that was found in one payload, in its order. */
export function toFindings(found: readonly Violation[], text?: string): Finding[] {
  const places = found.map(({ path }) => path).filter((path) => path.startsWith('/'));
  const positions = text === undefined || places.length === 0 ? undefined : locateAll(text, places);
  return found.map((each) => {
    const { severity, message, rule, hint } = explainViolation(each);
    const { line, column } = ownPosition(each) ?? positions?.get(each.path) ?? NOWHERE;
    return { code: each.code, severity, path: each.path, line, column, message, rule, hint };
  });
}

const NOWHERE = { line: null, column: null };

/** What a parser found has its place in its figures. */
function ownPosition({ params }: Violation): { line: number; column: number } | undefined {
  const { line, column } = params;
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}
