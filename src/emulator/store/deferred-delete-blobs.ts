import type { Readable } from 'node:stream';
import type { Blobs, BlobWriter } from './blobs.ts';

/** Blobs whose removal can be deferred. */
export class DeferredDeleteBlobs implements Blobs {
  readonly #blobs: Blobs;
  readonly #removed = new Set<string>();
  #holders = 0;

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  /** Defers removals until the returned function is called, once. */
  hold(): () => void {
    this.#holders++;
    return () => {
      if (--this.#holders > 0) return;
      // If this fails, the next start removes them.
      for (const id of this.#removed) void this.#blobs.remove(id).catch(() => {});
      this.#removed.clear();
    };
  }

  create(id: string): Promise<BlobWriter> {
    return this.#blobs.create(id);
  }

  read(id: string): Promise<Readable | undefined> {
    return this.#blobs.read(id);
  }

  async remove(id: string): Promise<void> {
    if (this.#holders > 0) this.#removed.add(id);
    else await this.#blobs.remove(id);
  }

  sweep(keep: ReadonlySet<string>): Promise<void> {
    return this.#blobs.sweep(keep);
  }

  close(): void {
    this.#blobs.close();
  }
}
