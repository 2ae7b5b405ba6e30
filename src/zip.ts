import { crc32 } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import type { Entry, ZipFile } from 'yauzl';
import {
  HOSTED_TOOL_WHOLE,
  isZipFolder,
  isZipLink,
  type ToolFile,
  shorten,
} from './contract/index.ts';

/** A zip that cannot be read. The message says why. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
}

/** A file in a zip, as the directory of the zip describes it. */
export interface ZipEntry extends ToolFile {
  readonly compressedSize: number;
  readonly isLink: boolean;
  /**
   * Unpacks the file. Of a zip on disk, only until the next entry is requested.
   *
   * @throws {ZipError} if its size or checksum is not that of the directory
   */
  readonly read: () => Promise<Buffer>;
}

/**
 * The files in a zip, in the order of its directory: bytes, or the path of a file that is too large for
 * the memory. Two files may have the same path, and a path may lead out of the folder.
 *
 * @throws {ZipError} if it is not a zip, is damaged, or has a password; and the errors of the system
 */
export async function* readZip(zip: Buffer | string): AsyncGenerator<ZipEntry> {
  const { default: yauzl } = await import('yauzl');
  // With decoded names, yauzl would stop at a path that leads out of the folder.
  const options = { autoClose: false, decodeStrings: false };
  try {
    const opened = await (typeof zip === 'string'
      ? yauzl.openPromise(zip, options)
      : yauzl.fromBufferPromise(zip, options));
    // An error of an entry also rejects its `read`.
    opened.on('error', () => {});
    try {
      for await (const entry of opened.eachEntry()) {
        const { generalPurposeBitFlag: flags, fileNameRaw, extraFields } = entry;
        const name = yauzl.getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
        // Some programs write `./index.html`; `./` alone is a folder.
        const path = name.replace(/^(?:\.\/+)+(?=[^/])/, '');
        const item = toZipEntry(opened, entry, path);
        if (!isZipFolder(item)) yield item;
      }
    } finally {
      if (typeof zip === 'string') opened.close();
    }
  } catch (error) {
    throw toZipError(error);
  }
}

/** A file of a hosted tool's zip, and its bytes if it was unpacked. */
export interface UnpackedFile {
  readonly file: ZipEntry;
  readonly bytes: Buffer | undefined;
}

/**
 * Like `readZip`, but unpacks each file, so that its size and checksum are known to be true. It stops
 * unpacking at the size of the largest tool, which their sizes alone refuse.
 *
 * @throws {ZipError} also if a file cannot be unpacked, or is not as the directory says
 */
export async function* unpackTool(zip: Buffer | string): AsyncGenerator<UnpackedFile> {
  let size = 0;
  for await (const file of readZip(zip)) {
    size += file.size;
    yield { file, bytes: size <= HOSTED_TOOL_WHOLE.bytes ? await file.read() : undefined };
  }
}

function toZipEntry(zip: ZipFile, entry: Entry, path: string): ZipEntry {
  if (entry.isEncrypted()) throw new ZipError(`${JSON.stringify(shorten(path))} has a password`);
  return {
    path,
    size: entry.uncompressedSize,
    compressedSize: entry.compressedSize,
    isLink: isZipLink(entry.externalFileAttributes),
    read: async () => {
      try {
        const bytes = await buffer(await zip.openReadStreamPromise(entry));
        if (crc32(bytes) === entry.crc32) return bytes;
      } catch (error) {
        throw toZipError(error);
      }
      throw new ZipError(`the checksum of ${path} is wrong`);
    },
  };
}

/** Errors of the system have a code; those about the content of a zip only have a message. */
function toZipError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ZipError) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^E[A-Z0-9]+$/.test(code) ? error : new ZipError(error.message, { cause: error });
}
