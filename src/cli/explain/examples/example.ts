import { type Code, type Params, violation } from '../../../contract/index.ts';
import { type Finding, toFinding } from '../../../validator/finding.ts';

/** How a code comes about. */
export interface Example {
  /** A payload that has it, of several lines perhaps, or the situation in words. */
  readonly given: string;
  /** What is found then; the validator itself finds it, wherever it can. */
  readonly find: (code: Code) => readonly Finding[] | Promise<readonly Finding[]>;
}

/** The findings for the examples of some codes. */
export type Examples<Prefix extends string> = Readonly<
  Record<Extract<Code, `${Prefix}.${string}`>, Example>
>;

/** What a function of the validator finds. */
export function byValidator(given: string, find: Example['find']): Example {
  return { given, find };
}

/** What only the service, or lectern at the moment of sending, can find; with the figures it has. */
export function byParams(given: string, params: Params = {}): Example {
  return { given, find: (code) => [toFinding(violation(code, '', params))] };
}
