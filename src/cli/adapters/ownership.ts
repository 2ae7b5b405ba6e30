import { lstat } from 'node:fs/promises';
import type { Ownership } from '../runtime.ts';

/** The owner and mode of a path. On Windows everything counts as the user's own. */
export async function ownership(path: string): Promise<Ownership | undefined> {
  try {
    const stats = await lstat(path);
    const isWindows = process.platform === 'win32';
    return {
      isLink: stats.isSymbolicLink(),
      isOwn: isWindows || stats.uid === process.getuid?.(),
      mode: isWindows ? undefined : stats.mode & 0o777,
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
