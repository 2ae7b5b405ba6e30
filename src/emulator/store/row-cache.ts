/** Size of the cache: most reads are of rows that were just read or written. */
const ROW_CACHE_BYTES = 32 * 1024 * 1024;

/** A cache of rows, limited in bytes; the oldest entries are removed first. */
export class RowCache {
  readonly #bodies = new Map<string, Uint8Array>();
  #bytes = 0;

  get(key: string): Uint8Array | undefined {
    return this.#bodies.get(key);
  }

  set(key: string, body: Uint8Array): void {
    this.#forget(key);
    this.#bodies.set(key, body);
    this.#bytes += body.length;
    if (this.#bytes <= ROW_CACHE_BYTES) return;
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= ROW_CACHE_BYTES) return;
      this.#forget(oldest);
    }
  }

  clear(): void {
    this.#bodies.clear();
    this.#bytes = 0;
  }

  #forget(key: string): void {
    const body = this.#bodies.get(key);
    if (body === undefined) return;
    this.#bodies.delete(key);
    this.#bytes -= body.length;
  }
}
