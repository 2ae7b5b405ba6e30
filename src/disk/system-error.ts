import { getSystemErrorMap } from 'node:util';
import { UnusableFileError } from './plain-file.ts';

/** The reason of a file error, such as `no space left on device (ENOSPC)` or `it is a folder`. */
export function reasonOf(error: unknown): string {
  if (error instanceof UnusableFileError) return error.reason;
  if (!(error instanceof Error)) return String(error);
  const { code, errno } = error as NodeJS.ErrnoException;
  const [, words] = (errno === undefined ? undefined : getSystemErrorMap().get(errno)) ?? [];
  return words === undefined ? (code ?? error.message) : `${words} (${code})`;
}
