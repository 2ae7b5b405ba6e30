import { explainViolation, violation, type Code, type Params } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';
import type { Recent } from './recent.ts';
import type { ReportFinding } from './rule.ts';

/** A finding as it is stored; its message is made from `params` when it is shown. */
export interface KeptFinding {
  readonly code: Code;
  readonly params: Params;
  /** The first of them, in order. */
  readonly requests: readonly number[];
  /** The number of all, including those that are not listed. */
  count: number;
}

/** A finding as the report shows it. */
export const FINDING = s.object({
  code: s.typed<Code>(s.text),
  severity: s.oneOf('error', 'warning'),
  requests: s.described(s.list(s.count), 'their numbers, as emulator requests shows them'),
  message: s.text,
  hint: s.text,
  rule: s.described(s.text, 'the sentence of the contract'),
});
export type ReviewFinding = s.Static<typeof FINDING>;

const LISTED_REQUESTS = 50;
/** How many subjects of a code get their own finding; all further ones share one. */
const SUBJECTS = 100;
const OTHERS = '(others)';
/** The maximum number of findings: more than all codes with all their subjects. */
export const MAX_FINDINGS = 10_000;

export class Findings {
  readonly #kept: Recent<KeptFinding>;
  readonly #subjects = new Map<Code, number>();

  constructor(kept: Recent<KeptFinding>) {
    this.#kept = kept;
    for (const [, { code }] of kept.entries()) this.#count(code);
  }

  /** Adds a finding; `requests` are those that show it. */
  add(code: Code, ...[subject, requests, params]: Parameters<ReportFinding>): void {
    const key = this.#keyOf(code, subject);
    const known = this.#kept.get(key);
    // Cheap, because a tool may do it with each request.
    if (known !== undefined && known.requests.length >= LISTED_REQUESTS) {
      known.count++;
      return;
    }
    if (known === undefined) this.#count(code);
    this.#kept.set(key, mergedFinding(known, { code, params, requests }));
  }

  #keyOf(code: Code, subject: string): string {
    const key = `${code} ${subject}`;
    const isFull = (this.#subjects.get(code) ?? 0) >= SUBJECTS;
    return isFull && this.#kept.get(key) === undefined ? `${code} ${OTHERS}` : key;
  }

  #count(code: Code): void {
    this.#subjects.set(code, (this.#subjects.get(code) ?? 0) + 1);
  }

  /** The stored findings and the current ones: errors first, then in the order of the requests. */
  shown(current: readonly KeptFinding[]): ReviewFinding[] {
    return [...this.kept(), ...current].map(reported).sort(byWeight);
  }

  kept(): KeptFinding[] {
    return [...this.#kept.entries()].map(([, finding]) => finding);
  }

  clear(): void {
    this.#kept.clear();
    this.#subjects.clear();
  }
}

/** A finding with the further requests that show it. */
export function mergedFinding(
  known: KeptFinding | undefined,
  found: Omit<KeptFinding, 'count'>,
): KeptFinding {
  const listed = known?.requests ?? [];
  const more = found.requests.filter((number) => !listed.includes(number));
  const requests = [...listed, ...more].slice(0, LISTED_REQUESTS);
  return { ...found, requests, count: (known?.count ?? 0) + more.length };
}

function reported({ code, params, requests, count }: KeptFinding): ReviewFinding {
  const { message, hint, rule, severity } = explainViolation(violation(code, '', params));
  const more =
    count > requests.length ? ` (${count} requests; the first ${requests.length} are listed)` : '';
  return {
    code,
    severity: severity === 'error' ? 'error' : 'warning',
    requests,
    message: `${message}${more}`,
    hint,
    rule,
  };
}

function byWeight(a: ReviewFinding, b: ReviewFinding): number {
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1;
  return (a.requests[0] ?? 0) - (b.requests[0] ?? 0);
}
