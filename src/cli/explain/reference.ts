import {
  CODES,
  type Code,
  type CodeRow,
  CONTRACT_CHANGES,
  CONTRACT_VERSION,
  type ContractChange,
  ERRORS,
  type ErrorRow,
  EXIT_MEANINGS,
  exitOfRefusal,
  type Severity,
} from '../../contract/index.ts';
import type { Finding } from '../../validator/finding.ts';
import { LIMITS, type LimitRow } from './limits.ts';

/** A code of a finding or refusal, with an example and what is said of it. */
export interface ExplainedCode {
  readonly code: Code;
  readonly severity: Severity;
  /** The status that the service answers with; null where it answers nothing. */
  readonly status: number | null;
  readonly rule: string;
  readonly example: string;
  readonly message: string;
  readonly hint: string;
}

/** An exit code of lectern. */
export interface ExplainedExit {
  readonly exit: number;
  readonly meaning: string;
}

/** What an HTTP status means. */
export interface ExplainedStatus {
  readonly status: number;
  /** What lectern makes of it, where the contract does not list it. */
  readonly meaning?: string;
  readonly errors: readonly ErrorRow[];
  readonly codes: readonly ExplainedCode[];
}

/** All that can be explained. */
export interface Reference {
  readonly contract: string;
  readonly limits: readonly LimitRow[];
  readonly errors: readonly ErrorRow[];
  readonly exit_codes: readonly ExplainedExit[];
  readonly changes: readonly ContractChange[];
  readonly codes: readonly ExplainedCode[];
}

export const EXIT_CODES: readonly ExplainedExit[] = Object.entries(EXIT_MEANINGS).map(
  ([exit, meaning]) => ({ exit: Number(exit), meaning }),
);

/** Everything, in the order of the reference page. */
export async function wholeReference(): Promise<Reference> {
  return {
    contract: CONTRACT_VERSION,
    limits: LIMITS,
    errors: ERRORS,
    exit_codes: EXIT_CODES,
    changes: CONTRACT_CHANGES,
    codes: await explainCodes(() => true),
  };
}

/** The codes that `isMeant` picks, each with its example. */
export async function explainCodes(
  isMeant: (code: Code, row: CodeRow) => boolean,
): Promise<ExplainedCode[]> {
  const { EXAMPLES } = await import('./examples/index.ts');
  const meant = (Object.entries(CODES) as [Code, CodeRow][]).filter(([code, row]) =>
    isMeant(code, row),
  );
  return meant.map(([code, { severity, status = null, rule }]) => {
    const { given, find } = EXAMPLES[code];
    const { message, hint } = find(code).find((each) => each.code === code) as Finding;
    return { code, severity, status, rule, example: given, message, hint };
  });
}

/** What an HTTP status means in each area, and the codes that are answered with it. */
export async function explainStatus(status: number): Promise<ExplainedStatus> {
  const errors = ERRORS.filter((row) => row.status === status);
  const codes = await explainCodes((_, row) => row.status === status);
  return errors.length > 0
    ? { status, errors, codes }
    : { status, meaning: meaningOf(status), errors, codes };
}

/** What lectern makes of a status that the contract does not list ("Errors": not shown). */
function meaningOf(status: number): string {
  if (status < 300) return 'a success where the endpoint answers with it, else an unusable answer';
  if (status < 400) return 'a redirect, which is never followed: a read exits 8, a write 10';
  if (status < 500) {
    const exit = exitOfRefusal(status);
    return `a refusal that the contract does not list: exit ${exit}, ${EXIT_MEANINGS[exit]}`;
  }
  return 'no usable answer: a read exits 8; a write exits 10, since it may have taken effect';
}
