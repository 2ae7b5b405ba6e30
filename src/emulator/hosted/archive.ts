import { crc32 } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import type { Entry, ZipFile } from 'yauzl';
import { isZipFolder, isZipLink, type ToolFile, truncate } from '../../contract/index.ts';

/** A zip that cannot be read; the message says why. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** The code of a hosted tool: the uploaded zip, which is never unpacked to disk. */
export class Archive {
  /** Every file, one that has the name of another as well. */
  readonly files: readonly ToolFile[];
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(
    zip: ZipFile,
    files: readonly ToolFile[],
    entries: ReadonlyMap<string, Entry>,
  ) {
    this.#zip = zip;
    this.files = files;
    this.#entries = entries;
  }

  /**
   * Reads the directory of a zip, with whatever paths it has: they are checked with all other rules.
   *
   * @throws {ArchiveError} also for a file with a password
   */
  static async open(zip: Buffer): Promise<Archive> {
    const { default: yauzl } = await import('yauzl');
    try {
      // Decoding names itself, yauzl would stop at one that leads out of the folder.
      const opened = await yauzl.fromBufferPromise(zip, { decodeStrings: false });
      // An error of an entry is reported by the promise of its read.
      opened.on('error', () => {});
      const entries = new Map<string, Entry>();
      const files: ToolFile[] = [];
      for await (const entry of opened.eachEntry()) {
        const { generalPurposeBitFlag: flags, fileNameRaw, extraFields } = entry;
        const path = yauzl.getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
        if (entry.isEncrypted())
          throw new Error(`${JSON.stringify(truncate(path))} has a password`);
        const file = toolFile(path, entry);
        if (isZipFolder(file)) continue;
        files.push(file);
        entries.set(path, entry);
      }
      return new Archive(opened, files, entries);
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
    isLink: isZipLink(entry.externalFileAttributes),
  };
}
