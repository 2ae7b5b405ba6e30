const KEPT_VERSIONS = 20;
/** The maximum size of all kept versions. */
const KEPT_BYTES = 32 * 1024 * 1024;

/**
 * What wrote a version: a PUT or PATCH of the service, the control side (`console`), `chaos`, or
 * the launches of `emulator fixture`. `start` and `import` mark the first version of a row.
 */
export type WrittenBy = 'PUT' | 'PATCH' | 'console' | 'chaos' | 'fixture' | Origin['by'];

/** The origin of rows that were not written since. */
export interface Origin {
  /** ms since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly by: 'start' | 'import';
}

export interface RowVersion {
  /** Counts the writes to the row from 1, since the process started. */
  readonly number: number;
  /** ms since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly by: WrittenBy;
  /** The launch whose token wrote it; '' for the control side. */
  readonly launchId: string;
  readonly body: Uint8Array;
}

/**
 * The latest versions of rows, for the console: in memory only, not part of the service or of an
 * export. Above the maximum size, the least recently written rows are dropped first.
 */
export class RowVersions {
  readonly #rows = new Map<string, RowVersion[]>();
  /** How often each row was written, including dropped versions. */
  readonly #counts = new Map<string, number>();
  #bytes = 0;
  #origin: Origin;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** Adds the current version of a row; before its first write also the previous one, if any. */
  add(row: string, version: Omit<RowVersion, 'number'>, before: Uint8Array | undefined): void {
    const kept = this.#rows.get(row) ?? [];
    if (before !== undefined && !this.#counts.has(row)) this.#push(row, kept, this.#first(before));
    this.#push(row, kept, version);
    // Moves it to the end.
    this.#rows.delete(row);
    this.#rows.set(row, kept);
    if (this.#bytes > KEPT_BYTES) this.#shrink(row);
  }

  /**
   * In the order of writing. `stored` is the current row: the only version if it was not written
   * here.
   */
  of(row: string, stored: Uint8Array | undefined): readonly RowVersion[] {
    if (stored === undefined || this.#counts.has(row)) return this.#rows.get(row) ?? [];
    return [{ ...this.#first(stored), number: 1 }];
  }

  /** Drops all versions: the rows now have another origin. */
  clear(origin: Origin): void {
    this.#rows.clear();
    this.#counts.clear();
    this.#bytes = 0;
    this.#origin = origin;
  }

  #first(body: Uint8Array): Omit<RowVersion, 'number'> {
    return { ...this.#origin, launchId: '', body };
  }

  #push(row: string, kept: RowVersion[], version: Omit<RowVersion, 'number'>): void {
    const number = (this.#counts.get(row) ?? 0) + 1;
    this.#counts.set(row, number);
    const { at, by, launchId, body } = version;
    kept.push({ number, at, by, launchId, body });
    this.#bytes += body.length;
    if (kept.length > KEPT_VERSIONS) this.#forgetOldest(kept);
  }

  #forgetOldest(versions: RowVersion[]): void {
    this.#bytes -= versions.shift()?.body.length ?? 0;
  }

  #shrink(newest: string): void {
    for (const [row, kept] of this.#rows) {
      while (this.#bytes > KEPT_BYTES && kept.length > (row === newest ? 1 : 0)) {
        this.#forgetOldest(kept);
      }
      if (kept.length === 0) this.#rows.delete(row);
      if (this.#bytes <= KEPT_BYTES) return;
    }
  }
}
