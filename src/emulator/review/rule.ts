import type { Code, Params } from '../../contract/index.ts';
import type { EmulatorState } from '../state/state.ts';
import type { AddressBook } from './address-book.ts';
import type { Recent } from './recent.ts';
import type { Place, SeenRequest } from './seen-request.ts';

/**
 * Reports a finding. All reports of one subject are one finding with all its requests; the last
 * message is used.
 */
export type ReportFinding = (
  subject: string,
  requests: readonly number[],
  params: Params,
  /** Defaults to the rule's own code. */
  code?: Code,
) => void;

export interface RuleContext<Kept> {
  readonly state: EmulatorState;
  readonly book: AddressBook;
  readonly memory: Recent<Kept>;
  readonly report: ReportFinding;
  /** Whether an earlier rule of the list has reported the same request. */
  readonly isReported: () => boolean;
}

/** One mistake that a tool can make over a sequence of requests, by a sentence of the contract. */
export interface Rule<Kept = unknown> {
  readonly code: Code;
  /** The places whose requests it checks. */
  readonly at: readonly Place[];
  /** The responses that it checks; all if left out. */
  readonly on?: 'success' | 'refusal';
  /** How many entries it remembers of earlier requests, by its own keys. */
  readonly keeps?: number;
  /** Whether its memory is stored with each change; otherwise only at an orderly end. */
  readonly isDurable?: boolean;
  see(seen: SeenRequest, context: RuleContext<Kept>): void;
  /** The requests that a finding about a remembered entry may still cite. */
  mayCite?(kept: Kept): readonly number[];
  /** Reports what is missing at the moment of a report. */
  open?(context: RuleContext<Kept>): void;
}
