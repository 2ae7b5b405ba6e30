import { type Code, explainViolation, type Severity, type Violation } from '../contract/index.ts';
import { locateAll } from '../json/index.ts';

/** A problem that the validator found, with its explanation. */
export interface Finding {
  readonly code: Code;
  readonly severity: Severity;
  /**
   * A JSON pointer into the payload; for a launch a claim path such as `api.token`; '' for all of
   * it.
   */
  readonly path: string;
  /** From 1; null if the finding has no place in the text. */
  readonly line: number | null;
  /** From 1, in UTF-16 units. */
  readonly column: number | null;
  readonly message: string;
  /** The contract's section, and the rule in short. */
  readonly rule: string;
  readonly hint: string;
}

/** Whether the service would certainly refuse this. */
export function isError({ severity }: Pick<Finding, 'severity'>): boolean {
  return severity === 'error';
}

export function toFinding(found: Violation): Finding {
  return toFindings([found])[0] as Finding;
}

/** The findings in the order of the violations, with line and column if the payload's text is given. */
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

/** The parameters of a parser's violation include its position. */
function ownPosition({ params }: Violation): { line: number; column: number } | undefined {
  const { line, column } = params;
  return typeof line === 'number' && typeof column === 'number' ? { line, column } : undefined;
}
