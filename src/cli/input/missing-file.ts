import { UsageError } from '../../errors.ts';
import { hasInvalidUtf8 } from '../../transfer/local-file.ts';

/** The error for a path that does not exist, though a folder may list it. */
export function missingFile(path: string): UsageError {
  return new UsageError(
    `no such file: ${JSON.stringify(path)}`,
    hasInvalidUtf8(path)
      ? 'a file name that is not valid UTF-8 cannot be opened: rename the file, or pass it on standard input'
      : undefined,
  );
}
