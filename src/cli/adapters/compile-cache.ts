import { lstatSync, mkdirSync, type Stats } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type FileRequire, keepCompiledCode } from './code-cache.ts';

const PRIVATE_FOLDER_MODE = 0o700;
const WRITABLE_BY_OTHERS = 0o022;

/** All that is bundled: `dist/`. */
const ROOT = join(import.meta.dirname, '..');

/**
 * Keeps what V8 has compiled in the user's cache folder, which the next start then reads. What others can
 * write to is not used: it is code that would be run. No reason to fail: it is only faster.
 */
export function useCompileCache(require: FileRequire): void {
  if (isOff(process)) return;
  try {
    const root = cacheRoot(process);
    if (root === undefined || !isAbsolute(root)) return;
    const folder = join(root, 'lectern');
    let stats = lstatSync(folder, { throwIfNoEntry: false });
    if (stats === undefined) {
      for (const each of [root, folder]) makeFolder(each);
      stats = lstatSync(folder);
    }
    if (isOwn(stats, process)) keepCompiledCode(require, process, { root: ROOT, folder });
  } catch {
    // There is no such folder here, and none can be made.
  }
}

/** By the user, or where the coverage of functions is counted, which have to be compiled for it. */
function isOff({ env }: NodeJS.Process): boolean {
  return Boolean(env.NODE_DISABLE_COMPILE_CACHE || env.NODE_V8_COVERAGE);
}

/** Where the platform keeps what can be made again. */
function cacheRoot({ env, platform }: NodeJS.Process): string | undefined {
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
function isOwn(stats: Stats, { platform }: NodeJS.Process): boolean {
  if (platform === 'win32') return stats.isDirectory();
  const isPrivate = (stats.mode & WRITABLE_BY_OTHERS) === 0 && stats.uid === process.getuid?.();
  return stats.isDirectory() && isPrivate;
}
