import { constants, rmSync } from 'node:fs';
import { open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { makeFolder, renameFile } from '../../disk/private-file.ts';
import { READ_FLAGS } from '../../disk/plain-file.ts';
import { StoreError } from './database.ts';

/** Stores the bytes of files. A blob exists completely or not at all, and never changes. */
export interface Blobs {
  /** Starts a blob under an ID that is not in use. */
  create(id: string): Promise<BlobWriter>;
  /**
   * The bytes; undefined if there is no such blob. The caller must read or destroy the stream,
   * which keeps a file open until then.
   */
  read(id: string): Promise<Readable | undefined>;
  remove(id: string): Promise<void>;
  /** Removes all blobs except these, and everything unfinished. */
  sweep(keep: ReadonlySet<string>): Promise<void>;
  /** Removes unfinished blobs synchronously, because the process may end right after. */
  close(): void;
}

/** A blob being written. It must end with `finish` or, also after a failure, `abandon`. */
export interface BlobWriter {
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when the blob is durable. */
  finish(): Promise<void>;
  abandon(): Promise<void>;
}

/** Stores a blob; after a failure there is none. Resolves with its ID when it is durable. */
export async function storeBlob(
  blobs: Pick<Blobs, 'create'>,
  id: string,
  fill: (writer: BlobWriter) => Promise<void>,
): Promise<string> {
  const writer = await blobs.create(id);
  try {
    await fill(writer);
    await writer.finish();
    return id;
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** Blobs in memory. */
export class MemoryBlobs implements Blobs {
  readonly #blobs = new Map<string, readonly Uint8Array[]>();

  async create(id: string): Promise<BlobWriter> {
    const chunks: Uint8Array[] = [];
    return {
      // A copy: the parser may reuse the buffer.
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

const UNFINISHED = '.part';
/** The IDs of blobs, which are the only names that are read or removed. */
const BLOB_ID = /^[0-9a-f]{18}$/;
const BLOB_NAME = /^[0-9a-f]{18}(?:\.part)?$/;
const READ_BYTES = 256 * 1024;

/** Blobs as files in a folder: written to a temporary name, synced, then renamed. */
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
    await renameFile(path + UNFINISHED, path);
    this.#unfinished.delete(path);
    const folder = await open(this.#folder, 'r');
    // Some systems cannot sync a folder.
    await folder.sync().catch(() => {});
    await folder.close();
  }

  async read(id: string): Promise<Readable | undefined> {
    try {
      // Opened before the response starts, so that a file can be replaced while it is read.
      const file = await open(this.#path(id), READ_FLAGS | (constants.O_NOFOLLOW ?? 0));
      return file.createReadStream({ highWaterMark: READ_BYTES });
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'ENOENT') return undefined;
      throw new StoreError(`a file could not be read: ${code}`, { cause });
    }
  }

  async remove(id: string): Promise<void> {
    await rm(this.#path(id), { force: true });
  }

  async sweep(keep: ReadonlySet<string>): Promise<void> {
    for (const id of keep) this.#path(id);
    const names = await readdir(this.#folder);
    const loose = names.filter((name) => BLOB_NAME.test(name) && !keep.has(name));
    await Promise.all(loose.map((name) => rm(join(this.#folder, name), { force: true })));
  }

  close(): void {
    for (const path of this.#unfinished) rmSync(path + UNFINISHED, { force: true });
  }

  /** Throws `StoreError` for an ID that this emulator cannot have made: the store may be of anybody. */
  #path(id: string): string {
    if (!BLOB_ID.test(id)) {
      const named = JSON.stringify(id);
      throw new StoreError(`the store names the file ${named}, which cannot be in ${this.#folder}`);
    }
    return join(this.#folder, id);
  }
}

/** Turns an error of the disk into a `StoreError`. */
async function storing<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StoreError(`a file could not be written: ${code}`, { cause });
  }
}
