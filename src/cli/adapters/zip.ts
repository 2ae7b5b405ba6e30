import { closeSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import type { Entry, ZipFile } from 'yauzl';
import { HOSTED_TOOL_ZIPPED } from '../../contract/limits.ts';
import { openPlainFile, readPlainFile, UnusableFileError } from '../../disk/plain-file.ts';
import { InvalidError } from '../../errors.ts';
import type { ZipEntry } from '../runtime.ts';
import { unreadable } from '../../disk/open-file.ts';

/** Reads the directory of a zip, and unpacks what is asked for: a zip may be made to do harm. */
export async function* readZip(path: string): AsyncGenerator<ZipEntry> {
  try {
    const zip = await openZip(path);
    // What is wrong with an entry is told by the promise that asked for it.
    zip.on('error', () => {});
    try {
      for await (const entry of zip.eachEntry()) {
        if (!entry.fileName.endsWith('/')) yield toEntry(path, zip, entry);
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
    return yauzl.openPromise(path, { autoClose: false });
  }
  return yauzl.fromBufferPromise(readPlainFile(path, HOSTED_TOOL_ZIPPED.bytes));
}

/** Of a Unix mode, which packers put into the upper half of the external attributes. */
const FILE_TYPE = 0o170000;
const SYMBOLIC_LINK = 0o120000;

function toEntry(path: string, zip: ZipFile, entry: Entry): ZipEntry {
  const { fileName, uncompressedSize, compressedSize } = entry;
  return {
    name: fileName,
    size: uncompressedSize,
    compressedSize,
    isLink: ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === SYMBOLIC_LINK,
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
