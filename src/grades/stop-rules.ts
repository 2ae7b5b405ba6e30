import { NoAnswer, Refusal } from '../client/index.ts';
import type { Outcome } from '../ledger/ledger.ts';
import type { PostResult } from './attempt.ts';
import type { Stop } from './run-options.ts';

const MAX_CONSECUTIVE = { in_doubt: 10, 403: 3 };
/** The number of 404, before any other outcome, that are about the address and not about members. */
const MAX_FIRST_404 = 50;

/** Which answers end a run: they would be the same for the records that follow. */
export class StopRules {
  #like: string | undefined;
  #times = 0;
  #outcomes = 0;
  /** Whether the first record in doubt stops the run. */
  isCareful = false;

  /** Counts the outcome of a record; returns why it stops the run, if it does. */
  stopFor({ outcome, ...posted }: PostResult): Stop | undefined {
    const error = posted.kind === 'failed' ? posted.error : undefined;
    // Nothing is known of the record, which is sent again.
    if (outcome.kind === 'not_sent') return stopOfUnsent(error);
    const { like, most, isOfFirst = false } = seriesOf(outcome);
    this.#times = like === this.#like ? this.#times + 1 : 1;
    this.#like = like;
    this.#outcomes += 1;
    if (isOfFirst && this.#times < this.#outcomes) return undefined;
    const isAtOnce = this.isCareful && outcome.kind === 'in_doubt';
    return isAtOnce || this.#times >= most
      ? { kind: 'service', error, times: this.#times }
      : undefined;
  }
}

function stopOfUnsent(error: unknown): Stop | undefined {
  if (!(error instanceof Refusal || error instanceof NoAnswer)) return { kind: 'failed', error };
  return error.status === 401 ? { kind: 'service', error } : undefined;
}

interface Series {
  readonly like: string;
  /** The number in a row that applies to all records; `isOfFirst`: only if they are the first ones. */
  readonly most: number;
  readonly isOfFirst?: boolean;
}

/** Which outcomes are alike. */
function seriesOf(outcome: Outcome): Series {
  if (outcome.kind === 'in_doubt') return { like: 'in_doubt', most: MAX_CONSECUTIVE.in_doubt };
  if (outcome.kind === 'refused') {
    const { http, code, text } = outcome;
    // The text of a 403 may have the ID of the request; that of a 404 may name the member.
    if (http === 403) return { like: `403 ${code}`, most: MAX_CONSECUTIVE[403] };
    if (http === 404) return { like: `404 ${text}`, most: MAX_FIRST_404, isOfFirst: true };
  }
  return { like: outcome.kind, most: Infinity };
}
