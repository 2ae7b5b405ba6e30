/** How many versions of a row are known. */
const KEPT_VERSIONS = 20;
/** And how many bytes of all rows together. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** A row as it was written once. */
export interface RowVersion {
  /** Counts the writes to the row from 1, for as long as the process lives. */
  readonly number: number;
  /** ms since the epoch, by the emulator's clock. */
  readonly at: number;
  /** `PUT` or `PATCH` of the service, or `console` for a write from the control side. */
  readonly by: string;
  /** The launch whose token wrote it; '' for the control side. */
  readonly launchId: string;
  readonly body: Uint8Array;
}

interface Kept {
  count: number;
  readonly versions: RowVersion[];
}

/**
 * The latest versions of rows, for people who look: in memory only, never part of the service or of
 * an export. Beyond a number of bytes, the rows that were written longest ago are forgotten first.
 */
export class RowVersions {
  readonly #rows = new Map<string, Kept>();
  #bytes = 0;

  add(row: string, version: Omit<RowVersion, 'number'>): void {
    const kept = this.#rows.get(row) ?? { count: 0, versions: [] };
    kept.versions.push({ ...version, number: ++kept.count });
    this.#bytes += version.body.length;
    if (kept.versions.length > KEPT_VERSIONS) this.#forgetOldest(kept);
    // Last among the rows from now on.
    this.#rows.delete(row);
    this.#rows.set(row, kept);
    if (this.#bytes > KEPT_BYTES) this.#shrink(row);
  }

  /** In the order of writing. */
  of(row: string): readonly RowVersion[] {
    return this.#rows.get(row)?.versions ?? [];
  }

  clear(): void {
    this.#rows.clear();
    this.#bytes = 0;
  }

  #forgetOldest({ versions }: Kept): void {
    this.#bytes -= versions.shift()?.body.length ?? 0;
  }

  #shrink(newest: string): void {
    for (const [row, kept] of this.#rows) {
      while (this.#bytes > KEPT_BYTES && kept.versions.length > (row === newest ? 1 : 0)) {
        this.#forgetOldest(kept);
      }
      if (kept.versions.length === 0) this.#rows.delete(row);
      if (this.#bytes <= KEPT_BYTES) return;
    }
  }
}
