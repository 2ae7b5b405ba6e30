import type { Code } from '../../contract/index.ts';
import type { EmulatorState } from '../state/state.ts';
import { coverageOf } from './coverage.ts';
import type { Exchanges } from './exchanges.ts';
import { Findings } from './findings.ts';
import type { Rule } from './rule.ts';
import {
  removedEndpoint,
  tokenInUrl,
  urlNotHandedOut,
  urlSegmentChanged,
} from './rules/addresses.ts';
import { contentTypeMissing } from './rules/bodies.ts';
import { apiKeyNotValid, endedTokenRepeated } from './rules/credentials.ts';
import { gradeFields, gradeRepeated } from './rules/grades.ts';
import { provisionUnfinished } from './rules/provisioning.ts';
import { refused } from './rules/refusals.ts';
import { keysDropped, rowNearLimit } from './rules/rows.ts';
import {
  bearerToSignedUrl,
  declarationWithoutUpload,
  signedUrlExpired,
} from './rules/signed-urls.ts';

/** The rules, in the order in which they look: `refused` leaves out what those before it found. */
const RULES: readonly Rule[] = [
  bearerToSignedUrl,
  tokenInUrl,
  urlNotHandedOut,
  urlSegmentChanged,
  removedEndpoint,
  apiKeyNotValid,
  gradeRepeated,
  keysDropped,
  endedTokenRepeated,
  signedUrlExpired,
  refused,
  gradeFields,
  contentTypeMissing,
  declarationWithoutUpload,
  rowNearLimit,
  provisionUnfinished,
];

/** The codes of the rules that cannot be judged without something. */
export function notJudged(lacks: Rule['needs']): Code[] {
  return RULES.filter(({ needs }) => needs !== undefined && needs === lacks).map(
    ({ code }) => code,
  );
}

/**
 * What the rules find.
 *
 * @throws {StoreError} the exchanges cannot be read
 */
function findingsOf(exchanges: Exchanges, state: EmulatorState) {
  const findings = new Findings();
  const evidence = { exchanges, reported: findings.requests };
  for (const { code, find } of RULES) {
    for (const each of find(evidence, state)) findings.add(each.code ?? code, each);
  }
  return findings.shown();
}

const COUNTED_MS = 1000;

/** The number of findings that are errors, counted at most once a second. */
export class ErrorCount {
  readonly #exchanges: Exchanges;
  readonly #count: () => number;
  readonly #changed: () => void;
  #known = { count: 0, at: -Infinity, last: -1 };
  #isAsked = false;

  /** @param changed called when it should be asked for again */
  constructor(exchanges: Exchanges, state: EmulatorState, changed: () => void) {
    this.#exchanges = exchanges;
    this.#count = () =>
      findingsOf(exchanges, state).filter(({ severity }) => severity === 'error').length;
    this.#changed = changed;
  }

  latest(): number {
    const { last } = this.#exchanges;
    const left = this.#known.at + COUNTED_MS - performance.now();
    if (left <= 0) this.#known = { count: this.#count(), at: performance.now(), last };
    else if (this.#known.last !== last && !this.#isAsked) {
      this.#isAsked = true;
      setTimeout(() => {
        this.#isAsked = false;
        this.#changed();
      }, left).unref();
    }
    return this.#known.count;
  }
}

/** What a tool did to the emulator since its start or the last reset. */
export function reportOf(exchanges: Exchanges, state: EmulatorState) {
  const [{ others = 0 } = {}] = exchanges.rows<{ others: number }>(
    'SELECT count(*) AS others FROM exchanges WHERE NOT judged',
  );
  return {
    requests: exchanges.counts.kept - others,
    findings: findingsOf(exchanges, state),
    coverage: coverageOf(exchanges),
  };
}
