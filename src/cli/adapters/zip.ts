import { statSync } from 'node:fs';
import { HOSTED_TOOL_ZIPPED } from '../../contract/limits.ts';
import { unreadable } from '../../disk/open-file.ts';
import { checkPlainFile, readPlainFile } from '../../disk/plain-file.ts';
import { InvalidError } from '../../errors.ts';
import { readZip, type ZipEntry, ZipError } from '../../zip.ts';

/**
 * The files in a zip that the user named. Throws `InvalidError` if it is not a zip or is damaged,
 * and `UsageError` if the file cannot be read.
 */
export async function* readZipFile(path: string): AsyncGenerator<ZipEntry> {
  const fail = (error: unknown): never => {
    if (!(error instanceof ZipError)) throw unreadable(path, error);
    throw new InvalidError(error.message, { code: 'hosted_tool.zip_unreadable' });
  };
  try {
    for await (const entry of readZip(bytesOrPath(path))) {
      yield { ...entry, read: () => entry.read().catch(fail) };
    }
  } catch (error) {
    fail(error);
  }
}

/** The directory of a zip is read 20 times as fast from memory. A zip above the size limit stays on disk. */
function bytesOrPath(path: string): Buffer | string {
  checkPlainFile(path);
  if (statSync(path).size > HOSTED_TOOL_ZIPPED.bytes) return path;
  return readPlainFile(path, HOSTED_TOOL_ZIPPED.bytes);
}
