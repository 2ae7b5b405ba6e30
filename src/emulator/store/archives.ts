import { buffer } from 'node:stream/consumers';
import type { DeferredDeleteBlobs } from './deferred-delete-blobs.ts';
import { Archive } from './archive.ts';

/** How many zips are kept in memory, each as large as an upload may be. */
const MAX_OPEN = 3;

/** A cache of the most recently read zips. */
export class Archives {
  readonly #blobs: DeferredDeleteBlobs;
  readonly #open = new Map<string, Promise<Archive | undefined>>();

  constructor(blobs: DeferredDeleteBlobs) {
    this.#blobs = blobs;
  }

  /** The zip stored as a blob; undefined if there is none. */
  open(blob: string): Promise<Archive | undefined> {
    const archive = this.#open.get(blob) ?? this.#read(blob);
    this.#open.delete(blob);
    this.#open.set(blob, archive);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(oldest);
    }
    archive.catch(() => this.#open.delete(blob));
    return archive;
  }

  async #read(blob: string): Promise<Archive | undefined> {
    const bytes = await this.#blobs.read(blob);
    return bytes && Archive.open(await buffer(bytes));
  }
}
