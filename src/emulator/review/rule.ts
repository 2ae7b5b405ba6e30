import type { Code, Params } from '../../contract/index.ts';
import type { EmulatorState } from '../state/state.ts';
import type { AddressBook } from './address-book.ts';
import type { Recent } from './recent.ts';
import type { Place, SeenRequest } from './seen-request.ts';

/**
 * Tells a finding. What is told of one subject is one finding with all its requests; the words are
 * those of the last time.
 */
export type Tell = (
  subject: string,
  requests: readonly number[],
  params: Params,
  /** One of `also`; else the rule's own. */
  code?: Code,
) => void;

export interface RuleContext<Kept> {
  readonly state: EmulatorState;
  readonly book: AddressBook;
  readonly memory: Recent<Kept>;
  readonly tell: Tell;
}

/** One thing that a tool can do wrong over a sequence of requests, by a sentence of the contract. */
export interface Rule<Kept = unknown> {
  readonly code: Code;
  /** Other codes that it tells. */
  readonly also?: readonly Code[];
  /** The places whose requests it looks at. */
  readonly at: readonly Place[];
  /** The responses that it looks at; all where this is left out. */
  readonly on?: 'success' | 'refusal';
  /** How much it remembers of the requests before, by a key of its own. */
  readonly keeps?: number;
  /** What it remembers is durable with each change; else it is kept by an orderly end. */
  readonly isDurable?: boolean;
  see(seen: SeenRequest, context: RuleContext<Kept>): void;
  /** The requests that a finding may still cite, of something that it remembers. */
  mayCite?(kept: Kept): readonly number[];
  /** Tells what is still missing at the moment of a report. */
  open?(context: RuleContext<Kept>): void;
}
