import type { OpenMode, Stats } from 'node:fs';
import { fileSystem } from './file-system.ts';

/**
 * An open file. Once it is closed, its number may be another file's: `close` waits for what is in progress,
 * and what is asked for later fails.
 */
export class Handle {
  readonly #number: number;
  readonly #working = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  private constructor(number: number) {
    this.#number = number;
  }

  static async open(path: string, flags: OpenMode, mode?: number): Promise<Handle> {
    return new Handle(await fileSystem.open(path, flags, mode));
  }

  /** Resolves with the number of bytes that were read; 0 at the end of the file. */
  async read(bytes: Uint8Array, position: number): Promise<number> {
    const { bytesRead } = await this.#work((number) =>
      fileSystem.read(number, bytes, 0, bytes.length, position),
    );
    return bytesRead;
  }

  /** Resolves with the number of bytes that were written, which may be fewer than there are. */
  async write(pieces: readonly Uint8Array[], position: number): Promise<number> {
    const { bytesWritten } = await this.#work((number) =>
      fileSystem.writev(number, pieces, position),
    );
    return bytesWritten;
  }

  stat(): Promise<Stats> {
    return this.#work((number) => fileSystem.fstat(number));
  }

  truncate(size: number): Promise<void> {
    return this.#work((number) => fileSystem.ftruncate(number, size));
  }

  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#working).then(() => fileSystem.close(this.#number));
    return this.#closing;
  }

  async #work<Value>(begin: (number: number) => Promise<Value>): Promise<Value> {
    if (this.#closing) throw new Error('the file is closed');
    const working = begin(this.#number);
    this.#working.add(working);
    try {
      return await working;
    } finally {
      this.#working.delete(working);
    }
  }
}
