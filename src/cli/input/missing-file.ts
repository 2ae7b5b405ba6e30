import { UsageError } from '../../errors.ts';
import { isMangled } from '../../transfer/local-file.ts';

/** The error that a path names nothing, though a folder may list it. */
export function missingFile(path: string): UsageError {
  return new UsageError(
    `there is no file ${JSON.stringify(path)}`,
    isMangled(path)
      ? 'a name that is not UTF-8 cannot be opened: rename the file, or give it on standard input'
      : undefined,
  );
}
