/** How many versions of a row are known. */
const KEPT_VERSIONS = 20;
/** And how many bytes of all rows together. */
const KEPT_BYTES = 32 * 1024 * 1024;

/**
 * What wrote a version: a PUT or PATCH of the service, the control side (`console`), trouble on purpose
 * (`chaos`), the launches of `emulator fixture`; `start` and `import` are what a row had from there.
 */
export type WrittenBy = 'PUT' | 'PATCH' | 'console' | 'chaos' | 'fixture' | Origin['by'];

/** Where the rows come from that nothing has written since. */
export interface Origin {
  /** ms since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly by: 'start' | 'import';
}

/** A row as it was written once. */
export interface RowVersion {
  /** Counts the writes to the row from 1, for as long as the process lives. */
  readonly number: number;
  /** ms since the epoch, by the emulator's clock. */
  readonly at: number;
  readonly by: WrittenBy;
  /** The launch whose token wrote it; '' for the control side. */
  readonly launchId: string;
  readonly body: Uint8Array;
}

/**
 * The latest versions of rows, for people who look: in memory only, never part of the service or of
 * an export. Beyond a number of bytes, the rows that were written longest ago are forgotten first.
 */
export class RowVersions {
  readonly #rows = new Map<string, RowVersion[]>();
  /** How often each row was written: those that were forgotten count too. */
  readonly #counts = new Map<string, number>();
  #bytes = 0;
  #origin: Origin;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** Keeps what a row is now; before its first write also what it was, if it was there. */
  add(row: string, version: Omit<RowVersion, 'number'>, before: Uint8Array | undefined): void {
    const kept = this.#rows.get(row) ?? [];
    if (before !== undefined && !this.#counts.has(row)) this.#push(row, kept, this.#first(before));
    this.#push(row, kept, version);
    // Last among the rows from now on.
    this.#rows.delete(row);
    this.#rows.set(row, kept);
    if (this.#bytes > KEPT_BYTES) this.#shrink(row);
  }

  /** In the order of writing. `stored` is the row as it is: the only version of one never written here. */
  of(row: string, stored: Uint8Array | undefined): readonly RowVersion[] {
    if (stored === undefined || this.#counts.has(row)) return this.#rows.get(row) ?? [];
    return [{ ...this.#first(stored), number: 1 }];
  }

  /** Forgets all: the rows are those of another origin now. */
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
