import { seededNumber } from '../freedom/vary.ts';
import type { Call } from '../service/call.ts';
import { chooseKind, troubleOf } from './chaos-kinds.ts';

export interface ChaosOptions {
  readonly seed: string;
  /** The share of the requests that meet trouble, from 0 to 1. */
  readonly share: number;
}

/**
 * The part that differs in each run: the signature of an address. Those of files are random as a
 * whole.
 */
const RANDOM = /\bcheck=[^&]*/;

/**
 * Injected faults. Whether a request gets one, and which, depends on the seed, its method and
 * address, and the number of equal requests before it, but not on the order of concurrent requests.
 * The addresses of file bytes count as one.
 */
export class Chaos {
  readonly options: ChaosOptions;
  readonly #counts = new Map<string, number>();

  constructor(options: ChaosOptions) {
    this.options = options;
  }

  choose(call: Call) {
    const { seed, share } = this.options;
    const { method, origin, target } = call.request;
    const id = `${method} ${origin === 'blobs' ? 'signed' : target.replace(RANDOM, '')}`;
    const count = this.#counts.get(id) ?? 0;
    this.#counts.set(id, count + 1);
    const draw = (what: string): number =>
      seededNumber(`${seed}\n${id}\n${count}\n${what}`) / 2 ** 32;
    if (draw('whether') >= share) return undefined;
    const name = chooseKind(call, draw('which'));
    return name && { name, trouble: troubleOf(name, draw('how long')) };
  }

  /** Starts again from the seed. */
  reset(): void {
    this.#counts.clear();
  }
}
