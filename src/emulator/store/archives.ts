import { buffer } from 'node:stream/consumers';
import { readZip, type ZipEntry } from '../../zip.ts';
import type { Blobs } from './blobs.ts';

/** The code of a hosted tool: the uploaded zip, which is never unpacked to disk. */
export interface Archive {
  /** Every file, including those with the same path as another one. */
  readonly files: readonly ZipEntry[];
  /** The bytes of a file, by its exact path; undefined if there is none. Rejects with a `ZipError`. */
  readonly read: (path: string) => Promise<Buffer | undefined>;
}

/**
 * Reads the directory of a zip. Its paths are checked with all other rules.
 *
 * @throws {ZipError}
 */
async function openArchive(zip: Buffer): Promise<Archive> {
  const files: ZipEntry[] = [];
  for await (const file of readZip(zip)) files.push(file);
  const entries = new Map(files.map((file) => [file.path, file]));
  return { files, read: async (path) => entries.get(path)?.read() };
}

/** How many zips are kept in memory, each as large as an upload may be. */
const MAX_OPEN = 3;

/** A cache of the most recently read zips. */
export class Archives {
  readonly #blobs: Pick<Blobs, 'read'>;
  readonly #open = new Map<string, Promise<Archive | undefined>>();

  constructor(blobs: Pick<Blobs, 'read'>) {
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
    const bytes = this.#blobs.read(blob);
    return bytes && openArchive(await buffer(bytes));
  }
}
