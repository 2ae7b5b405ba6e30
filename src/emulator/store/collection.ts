/** The store that records in memory are written through to. */
export interface Backing<T> {
  load(): Iterable<[string, T]>;
  put(id: string, item: T): void;
  delete(id: string): void;
}

/** A set of records by id, held in memory and written through. A record is replaced, never changed. */
export class Collection<T extends object> {
  readonly #backing: Backing<T>;
  readonly #items = new Map<string, T>();
  /** Increases with every change, for indexes. */
  revision = 0;

  constructor(backing: Backing<T>) {
    this.#backing = backing;
    this.load();
  }

  get size(): number {
    return this.#items.size;
  }

  get(id: string): T | undefined {
    return this.#items.get(id);
  }

  has(id: string): boolean {
    return this.#items.has(id);
  }

  values(): IterableIterator<T> {
    return this.#items.values();
  }

  entries(): IterableIterator<[string, T]> {
    return this.#items.entries();
  }

  set(id: string, item: T): void {
    this.#backing.put(id, item);
    this.hold(id, item);
  }

  /** Changes a record in memory only, until a later `set`. */
  hold(id: string, item: T): void {
    this.#items.set(id, item);
    this.revision++;
  }

  delete(id: string): boolean {
    if (!this.#items.has(id)) return false;
    this.#backing.delete(id);
    this.revision++;
    return this.#items.delete(id);
  }

  load(): void {
    this.#items.clear();
    for (const [id, item] of this.#backing.load()) this.#items.set(id, item);
    this.revision++;
  }
}
