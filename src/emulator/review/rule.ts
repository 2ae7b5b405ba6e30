import type { Code, Params } from '../../contract/index.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Exchanges } from './exchanges.ts';
import type { StoredExchange } from './stored-exchange.ts';

export { ELSEWHERE, OF_FILES } from './stored-exchange.ts';

/** What a rule found. All of one code and subject are one finding, with the last message. */
export interface Found {
  readonly subject: string;
  readonly requests: readonly number[];
  readonly params: Params;
  /** Defaults to the rule's own code. */
  readonly code?: Code;
}

/** What every rule may look at. */
export interface RuleInput {
  readonly exchanges: Pick<Exchanges, 'rows'>;
  /** The requests that the rules before this one have found. */
  readonly reported: ReadonlySet<number>;
}

/** One mistake that a tool can make, by a sentence of the contract: a query of the exchanges. */
export interface Rule {
  readonly code: Code;
  /** What it must know of the service besides its launches. Without it, the rule is not judged. */
  readonly needs?: 'keys';
  readonly find: (evidence: RuleInput, state: EmulatorState) => Iterable<Found>;
}

/** Some columns of the exchanges of tools that fulfil a condition, in order. */
export function exchangesWhere<Name extends keyof StoredExchange>(
  exchanges: RuleInput['exchanges'],
  names: readonly Name[],
  condition: string,
  values: readonly (string | number)[] = [],
): Generator<Pick<StoredExchange, Name>> {
  return exchanges.rows(
    `SELECT ${names.join(', ')} FROM exchanges WHERE judged AND ${condition} ORDER BY number`,
    values,
  );
}

/** A rule that judges each exchange by itself: `foundIn` returns what it shows, if anything. */
export function ruleOfEach<Name extends keyof StoredExchange>(
  code: Code,
  names: readonly Name[],
  condition: string,
  foundIn: (
    each: Pick<StoredExchange, Name>,
    state: EmulatorState,
    reported: RuleInput['reported'],
  ) => Found | undefined,
): Rule {
  return {
    code,
    *find({ exchanges, reported }, state) {
      for (const each of exchangesWhere(exchanges, names, condition)) {
        const found = foundIn(each, state, reported);
        if (found !== undefined) yield found;
      }
    },
  };
}
