import { lstatSync, mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Host } from './host.ts';

const PRIVATE_FOLDER_MODE = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/** There from Node 22.8 on. It makes folders itself, in `/proc` without an end: it is given one that exists. */
type Enable = { readonly enableCompileCache?: (folder: string) => unknown };

/**
 * Lets Node keep what it has compiled in the user's cache folder, which the next start then reads. What
 * others can write to is not used: it is code that would be run. No reason to fail: it is only faster.
 */
export function useCompileCache(host: Host): void {
  const { enableCompileCache } = process.getBuiltinModule('node:module') as Enable;
  // Not for a host that a test makes in its own process.
  if (enableCompileCache === undefined || host !== process) return;
  try {
    const root = cacheRoot(host);
    if (root === undefined || !isAbsolute(root)) return;
    const folder = join(root, 'lectern');
    for (const each of [root, folder]) makeFolder(each);
    if (isOwn(folder, host)) enableCompileCache(folder);
  } catch {
    // There is no such folder here, and none can be made.
  }
}

/** Where the platform keeps what can be made again. */
function cacheRoot({ env, platform }: Host): string | undefined {
  if (platform === 'win32') return env.LOCALAPPDATA;
  if (platform !== 'darwin' && env.XDG_CACHE_HOME) return env.XDG_CACHE_HOME;
  return env.HOME && join(env.HOME, platform === 'darwin' ? 'Library/Caches' : '.cache');
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, PRIVATE_FOLDER_MODE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A folder, no link to one, that only its owner can write to. */
function isOwn(folder: string, { platform }: Host): boolean {
  const stats = lstatSync(folder);
  if (platform === 'win32') return stats.isDirectory();
  const isPrivate = (stats.mode & WRITABLE_BY_OTHERS) === 0 && stats.uid === process.getuid?.();
  return stats.isDirectory() && isPrivate;
}
