import { crc32 } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import type { Entry, ZipFile } from 'yauzl';
import type { ToolFile } from '../../contract/index.ts';

/** A zip that cannot be read; the message says why. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** Bits of a Unix mode, which zip programs store in the upper half of the external attributes. */
const FILE_TYPE = 0o170000;
const SYMBOLIC_LINK = 0o120000;

/** The code of a hosted tool: the uploaded zip, which is never unpacked to disk. */
export class Archive {
  readonly files: ReadonlyMap<string, ToolFile>;
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>) {
    this.#zip = zip;
    this.#entries = entries;
    this.files = new Map([...entries].map(([path, entry]) => [path, toolFile(path, entry)]));
  }

  /**
   * Reads the directory of a zip.
   *
   * @throws {ArchiveError} also for a path that is absolute or outside the folder
   */
  static async open(zip: Buffer): Promise<Archive> {
    const { default: yauzl } = await import('yauzl');
    try {
      const opened = await yauzl.fromBufferPromise(zip);
      // An error of an entry is reported by the promise of its read.
      opened.on('error', () => {});
      const entries = new Map<string, Entry>();
      for await (const entry of opened.eachEntry()) {
        if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
      }
      return new Archive(opened, entries);
    } catch (error) {
      throw new ArchiveError((error as Error).message, { cause: error });
    }
  }

  /**
   * The bytes of a file, by its exact name; undefined if there is none.
   *
   * @throws {ArchiveError} as soon as it has more bytes than the directory says, and for a wrong checksum
   */
  async read(path: string): Promise<Buffer | undefined> {
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    let bytes: Buffer;
    try {
      bytes = await buffer(await this.#zip.openReadStreamPromise(entry));
    } catch (error) {
      throw new ArchiveError((error as Error).message, { cause: error });
    }
    if (crc32(bytes) !== entry.crc32) throw new ArchiveError(`the checksum of ${path} is wrong`);
    return bytes;
  }
}

function toolFile(path: string, entry: Entry): ToolFile {
  return {
    path,
    size: entry.uncompressedSize,
    compressedSize: entry.compressedSize,
    isLink: ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK,
  };
}
