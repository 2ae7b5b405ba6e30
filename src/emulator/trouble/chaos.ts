import { Recent } from '../review/recent.ts';
import type { Call } from '../service/call.ts';
import { type ChaosKind, chooseKind, troubleOf } from './chaos-kinds.ts';
import { type ChaosOptions, Outcomes } from './outcomes.ts';
import type { Trouble } from './trouble.ts';

export interface Chosen {
  readonly name: ChaosKind;
  readonly trouble: Trouble;
}

/**
 * The part that differs in each run: the signature of an address. Those of files are random as a
 * whole.
 */
const RANDOM = /\bcheck=[^&]*/;

/** How many addresses are counted; beyond it, the oldest count is dropped. */
const MAX_COUNTED = 100_000;

/**
 * Trouble on purpose. Whether a request meets it, and which, depends on the seed, its method and
 * address, and the number of equal requests before it, but not on the order of concurrent requests.
 * The addresses of file bytes count as one.
 */
export class Chaos {
  readonly #options: ChaosOptions;
  readonly #counts = new Recent<number>(MAX_COUNTED);
  readonly outcomes: Outcomes;

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.outcomes = new Outcomes(options);
  }

  choose(call: Call): Chosen | undefined {
    const { seed, share } = this.#options;
    const { method, origin, target } = call.request;
    const id = `${method} ${origin === 'blobs' ? 'signed' : target.replace(RANDOM, '')}`;
    const count = this.#counts.get(id) ?? 0;
    this.#counts.set(id, count + 1);
    const draw = (what: string): number => hash(`${seed}\n${id}\n${count}\n${what}`) / 2 ** 32;
    if (draw('whether') >= share) return undefined;
    const name = chooseKind(call, draw('which'));
    return name && { name, trouble: troubleOf(name, draw('how long')) };
  }

  /** Starts again from the seed. */
  reset(): void {
    this.#counts.clear();
    this.outcomes.reset();
  }
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1a of the text's UTF-16 units, well mixed: the same 32 bits on every platform. */
function hash(text: string): number {
  let value = FNV_OFFSET;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), FNV_PRIME);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
