import type { Caller } from '../http/caller.ts';
import type { Effect } from '../http/faults.ts';
import type { PlainRequest } from '../http/messages.ts';
import { Recent } from '../report/recent.ts';
import { readTarget } from '../service/addresses.ts';
import { fractionOf } from './hash.ts';
import { chooseTrouble, effectOf, possibleTroubles, type Trouble } from './trouble.ts';

export interface ChaosOptions {
  readonly seed: string;
  /** The share of the requests that meet trouble, from 0 to 1. */
  readonly share: number;
}

/** A trouble, and what it does to the response. */
export interface Chosen {
  readonly trouble: Trouble;
  readonly effect: Effect | undefined;
}

/** What is another in each run: the signature of an address. Those of files are random as a whole. */
const RANDOM = /\bcheck=[^&]*/;

/** So many addresses are counted; then counting begins anew for the oldest. */
const MAX_COUNTED = 100_000;

/**
 * Trouble on purpose. Whether a request meets it, and which, follows from the seed, its method and
 * address, and how many of the same came before: not from the order of requests that are made at once.
 * The addresses of file bytes count as one.
 */
export class Chaos {
  readonly #options: ChaosOptions;
  readonly #counts = new Recent<number>(MAX_COUNTED);

  constructor(options: ChaosOptions) {
    this.#options = options;
  }

  get options(): ChaosOptions {
    return this.#options;
  }

  /** The trouble that a request meets, if any. */
  choose(request: PlainRequest, caller: Caller): Chosen | undefined {
    const { seed, share } = this.#options;
    const { method } = request;
    const isSigned = request.origin === 'blobs';
    const id = `${method} ${isSigned ? 'signed' : request.target.replace(RANDOM, '')}`;
    const count = this.#counts.get(id) ?? 0;
    this.#counts.set(id, count + 1);
    const draw = (what: string): number => fractionOf(`${seed}\n${id}\n${count}\n${what}`);
    if (draw('whether') >= share) return undefined;
    const place = isSigned ? 'signed' : (readTarget(request.target)?.is ?? 'unknown');
    const trouble = chooseTrouble(possibleTroubles(place, method, caller), draw('which'));
    return trouble && { trouble, effect: effectOf(trouble, draw('how long')) };
  }

  /** Begins anew. */
  reset(): void {
    this.#counts.clear();
  }
}
