import { closeSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { Entry, ZipFile } from 'yauzl';
import { isZipFolder, isZipLink } from '../../contract/hosted-tool.ts';
import { HOSTED_TOOL_ZIPPED } from '../../contract/limits.ts';
import { truncate } from '../../contract/words.ts';
import { openPlainFile, readPlainFile, UnusableFileError } from '../../disk/plain-file.ts';
import { InvalidError } from '../../errors.ts';
import type { ZipEntry } from '../runtime.ts';
import { unreadable } from '../../disk/open-file.ts';

/** Reads the directory of a zip, and unpacks what is asked for: a zip may be made to do harm. */
export async function* readZip(path: string): AsyncGenerator<ZipEntry> {
  try {
    const { getFileNameLowLevel } = (await import('yauzl')).default;
    const nameOf = ({ generalPurposeBitFlag: flags, fileNameRaw, extraFields }: Entry): string =>
      getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
    const zip = await openZip(path);
    // What is wrong with an entry is told by the promise that asked for it.
    zip.on('error', () => {});
    try {
      for await (const entry of zip.eachEntry()) {
        const found = toEntry(path, zip, entry, nameOf(entry));
        if (!isZipFolder({ path: found.name, ...found })) yield found;
      }
    } finally {
      zip.close();
    }
  } catch (error) {
    throw zipError(path, error);
  }
}

/** From memory a directory is read twenty times as fast; what is refused for its size stays on disk. */
async function openZip(path: string): Promise<ZipFile> {
  const { default: yauzl } = await import('yauzl');
  const { fd, stats } = openPlainFile(path);
  closeSync(fd);
  if (stats.size > HOSTED_TOOL_ZIPPED.bytes) {
    return yauzl.openPromise(path, { autoClose: false, decodeStrings: false });
  }
  const bytes = readPlainFile(path, HOSTED_TOOL_ZIPPED.bytes);
  return yauzl.fromBufferPromise(bytes, { decodeStrings: false });
}

/** Names are decoded here, since yauzl would stop at the first one that leads out of the folder. */
function toEntry(path: string, zip: ZipFile, entry: Entry, name: string): ZipEntry {
  const { uncompressedSize, compressedSize } = entry;
  if (entry.isEncrypted()) throw new Error(`${JSON.stringify(truncate(name))} has a password`);
  return {
    name,
    size: uncompressedSize,
    compressedSize,
    isLink: isZipLink(entry.externalFileAttributes),
    read: async () => {
      try {
        return await buffer(await zip.openReadStreamPromise(entry));
      } catch (error) {
        throw zipError(path, error);
      }
    },
  };
}

/** The disk's errors have codes of the system; what is wrong with a zip has words alone. */
function zipError(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof InvalidError) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (error instanceof UnusableFileError || /^E[A-Z0-9]+$/.test(code)) {
    return unreadable(path, error);
  }
  return new InvalidError(error.message, { code: 'hosted_tool.zip_unreadable' });
}
