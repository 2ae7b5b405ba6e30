/** The rows as they were when it was made, read one by one while the store goes on being written. */
export class RowSnapshot {
  /** In their order. */
  readonly keys: readonly string[];
  readonly #read: (key: string) => Uint8Array | undefined;
  /** What rows were before their first change. */
  readonly #before = new Map<string, Uint8Array | undefined>();
  #isWhole = true;

  constructor(keys: readonly string[], read: (key: string) => Uint8Array | undefined) {
    this.keys = keys;
    this.#read = read;
  }

  /** False once all rows were cleared or replaced: they cannot be read any more. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The bytes of one of the keys. */
  row(key: string): Uint8Array {
    return (this.#before.get(key) ?? this.#read(key)) as Uint8Array;
  }

  /** Is called before a row changes. */
  keep(key: string): void {
    if (!this.#before.has(key)) this.#before.set(key, this.#read(key));
  }

  /** Is called before all rows are cleared or replaced. */
  break(): void {
    this.#isWhole = false;
    this.#before.clear();
  }
}
