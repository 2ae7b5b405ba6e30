import { explainViolation, violation, type Code, type Params } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';
import type { Found } from './rule.ts';

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

interface Grouped {
  readonly code: Code;
  params: Params;
  /** Whether it has more than one subject; `params` is of the first. */
  readonly isOfOthers: boolean;
  /** The first of them, in order. */
  readonly requests: Set<number>;
  /** The number of all, including those that are not listed. */
  count: number;
}

/** Findings, of which each has all that was found of one code and subject. */
export class Findings {
  readonly #grouped = new Map<string, Grouped>();
  readonly #subjects = new Map<Code, number>();
  /** The requests of all findings. */
  readonly requests = new Set<number>();

  add(code: Code, { subject, requests, params }: Found): void {
    const found = this.#of(code, subject);
    if (!found.isOfOthers || found.count === 0) found.params = params;
    for (const number of requests) {
      this.requests.add(number);
      if (found.requests.has(number)) continue;
      found.count++;
      if (found.requests.size < LISTED_REQUESTS) found.requests.add(number);
    }
  }

  #of(code: Code, subject: string): Grouped {
    const own = this.#grouped.get(`${code} ${subject}`);
    if (own !== undefined) return own;
    const subjects = this.#subjects.get(code) ?? 0;
    if (subjects > SUBJECTS) return this.#of(code, OTHERS);
    this.#subjects.set(code, subjects + 1);
    const isOfOthers = subjects === SUBJECTS;
    const found: Grouped = { code, params: {}, isOfOthers, requests: new Set(), count: 0 };
    this.#grouped.set(`${code} ${isOfOthers ? OTHERS : subject}`, found);
    return found;
  }

  /** Errors first, then in the order of the requests. */
  shown(): ReviewFinding[] {
    return Array.from(this.#grouped.values(), shownFinding).sort(byWeight);
  }
}

function shownFinding({ code, params, isOfOthers, requests, count }: Grouped): ReviewFinding {
  const { message, hint, rule, severity } = explainViolation(violation(code, '', params));
  const others = isOfOthers && count > 1 ? ', and others like it' : '';
  const more =
    count > requests.size ? ` (${count} requests; the first ${requests.size} are listed)` : '';
  return {
    code,
    severity: severity === 'error' ? 'error' : 'warning',
    requests: [...requests],
    message: `${message}${others}${more}`,
    hint,
    // A refusal is by the rule of its own code.
    rule: String(params['rule'] ?? rule),
  };
}

function byWeight(a: ReviewFinding, b: ReviewFinding): number {
  if (a.severity !== b.severity) return a.severity === 'error' ? -1 : 1;
  return (a.requests[0] ?? 0) - (b.requests[0] ?? 0);
}
