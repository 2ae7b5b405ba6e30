import { lstatSync, mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type CreateRequire, keepCompiledCode } from './code-cache.ts';
import type { Host } from './host.ts';

const PRIVATE_FOLDER_MODE = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/** Makes folders itself, in `/proc` without an end: it is given one that exists. There from Node 22.8 on. */
type Module = {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly createRequire: CreateRequire;
};

/** All that is bundled: `dist/`. */
const ROOT = join(import.meta.dirname, '..');

/**
 * Lets Node keep what it has compiled in the user's cache folder, which the next start then reads. What
 * others can write to is not used: it is code that would be run. No reason to fail: it is only faster.
 */
export function useCompileCache(host: Host): void {
  // Not for a host that a test makes in its own process, nor where Node itself would use none.
  if (host !== process || isOff(process)) return;
  try {
    const root = cacheRoot(host);
    if (root === undefined || !isAbsolute(root)) return;
    const folder = join(root, 'lectern');
    for (const each of [root, folder]) makeFolder(each);
    if (!isOwn(folder, host)) return;
    const { enableCompileCache, createRequire } = process.getBuiltinModule('node:module') as Module;
    if (enableCompileCache) enableCompileCache(folder);
    else keepCompiledCode(createRequire, process, { root: ROOT, folder });
  } catch {
    // There is no such folder here, and none can be made.
  }
}

/** By the user, or where the coverage of functions is counted, which have to be compiled for it. */
function isOff({ env }: Pick<Host, 'env'>): boolean {
  return Boolean(env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE);
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
