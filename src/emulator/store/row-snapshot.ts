/** A snapshot of all rows, read one by one while the store is written. */
export class RowSnapshot {
  /** Sorted. */
  readonly keys: readonly string[];
  readonly #read: (key: string) => Uint8Array | undefined;
  /** Rows as they were before their first change. */
  readonly #before = new Map<string, Uint8Array | undefined>();
  #isWhole = true;

  constructor(keys: readonly string[], read: (key: string) => Uint8Array | undefined) {
    this.keys = keys;
    this.#read = read;
  }

  /** False after all rows were cleared or replaced: they can no longer be read. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The bytes of one of the keys. */
  row(key: string): Uint8Array {
    return (this.#before.get(key) ?? this.#read(key)) as Uint8Array;
  }

  /** Called before a row changes. */
  keep(key: string): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#read(key));
  }

  /** Called before all rows are cleared or replaced. */
  invalidate(): void {
    this.#isWhole = false;
    this.#before.clear();
  }
}
