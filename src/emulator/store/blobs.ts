import { rmSync } from 'node:fs';
import { open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { makeFolder } from '../../disk/make-folder.ts';
import { READ_FLAGS } from '../../disk/plain-file.ts';
import { StoreError } from './store-error.ts';

/** Where the bytes of files are kept. A blob is there whole or not at all, and never changes. */
export interface Blobs {
  /** Starts a blob under an ID that is not in use. */
  create(id: string): Promise<BlobWriter>;
  /**
   * The bytes, or undefined when there is no such blob. Whoever asks for them reads them or destroys
   * the stream, which keeps a file open until then.
   */
  read(id: string): Promise<Readable | undefined>;
  remove(id: string): Promise<void>;
  /** Removes all that is not among these, and everything unfinished. */
  sweep(keep: ReadonlySet<string>): Promise<void>;
  /** Removes what is unfinished, at once: the process may end right after. */
  close(): void;
}

/** A blob that is being written. It is ended by `finish`, or by `abandon`, also after either failed. */
export interface BlobWriter {
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when the blob is durable. */
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

/** Blobs that are gone with the process. */
export class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<string, readonly Uint8Array[]>();

  async create(id: string): Promise<BlobWriter> {
    const chunks: Uint8Array[] = [];
    return {
      // A copy: the chunk may be a view of a buffer that the parser uses again.
      write: async (chunk) => void chunks.push(Buffer.from(chunk)),
      finish: async () => void this.#blobs.set(id, chunks),
      abandon: async () => {},
    };
  }

  async read(id: string): Promise<Readable | undefined> {
    const chunks = this.#blobs.get(id);
    return chunks && Readable.from(chunks, { objectMode: false });
  }

  async remove(id: string): Promise<void> {
    this.#blobs.delete(id);
  }

  async sweep(keep: ReadonlySet<string>): Promise<void> {
    for (const id of this.#blobs.keys()) if (!keep.has(id)) this.#blobs.delete(id);
  }

  close(): void {}
}

const UNFINISHED = '.part';
const READ_BYTES = 256 * 1024;

/** Blobs as files of one folder: written to another name, synced, then renamed. */
export class DiskBlobs implements Blobs {
  readonly #folder: string;
  readonly #unfinished = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(folder: string): Promise<DiskBlobs> {
    makeFolder(folder, 0o700);
    return new DiskBlobs(folder);
  }

  async create(id: string): Promise<BlobWriter> {
    const path = this.#path(id);
    this.#unfinished.add(path);
    const file = await storing(open(path + UNFINISHED, 'wx', 0o600));
    return {
      write: (chunk) => storing(file.writeFile(chunk)),
      finish: () => storing(this.#finish(file, path)),
      abandon: async () => {
        await file.close();
        await rm(path + UNFINISHED, { force: true });
        this.#unfinished.delete(path);
      },
    };
  }

  async #finish(file: FileHandle, path: string): Promise<void> {
    await file.sync();
    await file.close();
    await rename(path + UNFINISHED, path);
    this.#unfinished.delete(path);
    const folder = await open(this.#folder, 'r');
    // Some systems cannot sync a folder; the name is then as durable as they make it.
    await folder.sync().catch(() => {});
    await folder.close();
  }

  async read(id: string): Promise<Readable | undefined> {
    try {
      // Opened before the answer starts, so that a file that is replaced meanwhile still reads whole.
      const file = await open(this.#path(id), READ_FLAGS);
      return file.createReadStream({ highWaterMark: READ_BYTES });
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw new StoreError(`a file could not be read: ${code}`, { cause });
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  async sweep(keep: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.#folder);
    const loose = names.filter((name) => !keep.has(name));
    await Promise.all(loose.map((name) => this.remove(name)));
  }

  close(): void {
    for (const path of this.#unfinished) rmSync(path + UNFINISHED, { force: true });
  }

  #path(id: string): string {
    return join(this.#folder, id);
  }
}

/** Tells what the disk refuses as what it is: no room, no folder, too many open files. */
async function storing<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StoreError(`a file could not be written: ${code}`, { cause });
  }
}
