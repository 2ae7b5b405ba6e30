import { isObject } from '../contract/index.ts';
import { jsonOf } from './body.ts';

/** A signed address that the service handed out. */
export interface SignedAddress {
  readonly origin: string;
  /** Path and query, as they go on the way on. */
  readonly target: string;
  /** The row and key of the file. */
  readonly row: string;
  readonly key: string;
}

/** How many addresses are known at a time; each is valid for a few minutes. */
const KEPT = 10_000;

/** The signed addresses that passed, each under a number that is its path here. */
export class SignedAddresses {
  readonly #known = new Map<number, SignedAddress>();
  #last = 0;

  /** The local path of an address: its number, and then its own path and query. */
  add(address: SignedAddress): string {
    this.#last += 1;
    this.#known.set(this.#last, address);
    this.#known.delete(this.#last - KEPT);
    return `/${this.#last}${address.target}`;
  }

  /** The address of a local path; only one that was handed out, byte for byte. */
  find(path: string): (SignedAddress & { readonly number: number }) | undefined {
    const number = Number(/^\/(\d+)\//.exec(path)?.[1] ?? Number.NaN);
    const known = this.#known.get(number);
    return known && path === `/${number}${known.target}` ? { ...known, number } : undefined;
  }
}

/** The address in the answer to a declaration, or in a file's record. */
export function signedUrlIn(body: Uint8Array): string | undefined {
  const answer = jsonOf(body);
  return isObject(answer) && typeof answer.url === 'string' ? answer.url : undefined;
}

/** The text with one string of JSON in place of another; all other bytes stay. */
export function withString(text: string, value: string, other: string): string {
  let isDone = false;
  return text.replace(/"(?:[^"\\]|\\.)*"/gs, (token) => {
    if (isDone || JSON.parse(token) !== value) return token;
    isDone = true;
    return JSON.stringify(other);
  });
}
