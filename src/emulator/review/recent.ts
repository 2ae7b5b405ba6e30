import type { Backing } from '../store/collection.ts';

/** A map of limited size, which drops the oldest entry first. It is written through to a store, if given. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #most: number;
  readonly #backing: Backing<Value> | undefined;

  constructor(most: number, backing?: Backing<Value>) {
    this.#most = most;
    this.#backing = backing;
    for (const [key, value] of backing?.load() ?? []) this.#values.set(key, value);
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  entries(): IterableIterator<[string, Value]> {
    return this.#values.entries();
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
    this.#backing?.put(key, value);
    if (this.#values.size <= this.#most) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#backing?.delete(key);
  }

  clear(): void {
    this.#values.clear();
  }
}
