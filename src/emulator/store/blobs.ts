import { Readable } from 'node:stream';
import type { Store } from './store.ts';

/** Bytes are stored and read in pieces of this size. */
const PIECE_BYTES = 256 * 1024;

/** What the ID of a blob begins with that only a new seed replaces. */
export const KEPT = 'seed/';

/** The bytes of files and of tools' code, in the store. A blob never changes. */
export class Blobs {
  readonly #store: Store;
  /** How many readers each blob has. */
  readonly #readers = new Map<string, number>();
  /** To be removed: they are read, or the disk was full. */
  readonly #removed = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Stores a blob under an ID that is not in use; after a failure there is none. Resolves with its ID
   * when it is durable.
   */
  async store(
    id: string,
    fill: (write: (chunk: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<string> {
    let piece = 0;
    let chunks: Uint8Array[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      const whole = Buffer.concat(chunks);
      [chunks, bytes] = [[], 0];
      this.#store.write('INSERT INTO blobs VALUES (?, ?, ?)', [id, piece++, whole]);
      await this.#store.whenDurable();
    };
    this.#removeLeft();
    try {
      await fill(async (chunk) => {
        // A copy: the parser may reuse the buffer.
        chunks.push(Buffer.from(chunk));
        bytes += chunk.length;
        if (bytes >= PIECE_BYTES) await flush();
      });
      // An empty file has a piece too, so that it exists.
      await flush();
      return id;
    } catch (error) {
      if (piece > 0) this.discard(id);
      throw error;
    }
  }

  /**
   * The bytes; undefined if there is no such blob. The stream must be read or destroyed: until then
   * the blob stays, even if it is removed.
   */
  read(id: string): Readable | undefined {
    if (this.#piece(id, 0) === undefined) return undefined;
    this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1);
    let next = 0;
    const stream: Readable = new Readable({
      read: () => {
        try {
          stream.push(this.#piece(id, next++) ?? null);
        } catch (error) {
          stream.destroy(error as Error);
        }
      },
      destroy: (error, done) => {
        this.#release(id);
        done(error);
      },
    });
    return stream;
  }

  #piece(id: string, piece: number): Uint8Array | undefined {
    const sql = 'SELECT bytes FROM blobs WHERE id = ? AND piece = ?';
    return this.#store.first<{ bytes: Uint8Array }>(sql, [id, piece])?.bytes;
  }

  #release(id: string): void {
    const readers = (this.#readers.get(id) ?? 0) - 1;
    if (readers > 0) this.#readers.set(id, readers);
    else this.#readers.delete(id);
    if (this.#removed.has(id)) this.discard(id);
  }

  /** Removes a blob, within the current turn's commit, or when it is no longer read. */
  remove(id: string): void {
    if (this.#readers.has(id)) this.#removed.add(id);
    else this.#delete(id);
  }

  /** Removes a blob that no record has. If the disk is full, the next upload or start does it. */
  discard(id: string): void {
    this.#removed.add(id);
    this.#removeLeft();
  }

  #removeLeft(): void {
    for (const each of this.#removed) {
      if (this.#readers.has(each)) continue;
      try {
        this.#delete(each);
        void this.#store.whenDurable().then(
          () => this.#removed.delete(each),
          () => {},
        );
      } catch {
        return;
      }
    }
  }

  #delete(id: string): void {
    this.#store.write('DELETE FROM blobs WHERE id = ?', [id]);
    this.#store.giveSpaceBack();
  }

  /** Copies a blob of this size, within the current turn's commit; false if there is none. */
  copy(from: string, to: string, size: number): boolean {
    const sql = `INSERT INTO blobs SELECT ?, piece, bytes FROM blobs WHERE id = ?
      AND ? = (SELECT sum(length(bytes)) FROM blobs WHERE id = ?)`;
    return this.#store.write(sql, [to, from, size, from]) > 0;
  }

  /** Removes what no file or code has: what a killed process left of uploads. */
  sweep(): void {
    this.#deleteAll('id NOT IN (SELECT blob FROM files UNION SELECT blob FROM codes)');
  }

  clear(): void {
    this.#deleteAll('true');
  }

  forgetKept(): void {
    this.#store.write('DELETE FROM blobs WHERE substr(id, 1, ?) = ?', [KEPT.length, KEPT]);
  }

  #deleteAll(which: string): void {
    const sql = `DELETE FROM blobs WHERE ${which} AND substr(id, 1, ?) <> ?`;
    const changes = this.#store.write(sql, [KEPT.length, KEPT]);
    if (changes > 0) this.#store.giveSpaceBack();
  }
}
