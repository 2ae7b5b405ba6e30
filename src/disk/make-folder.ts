import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents, as `mkdir -p` does; an existing one keeps its mode. Throws
 * the system's error. Node's `recursive` never returns for some folders (`/proc/x`), and reports a
 * read-only disk as "no such file or directory".
 */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (isFolder(path)) return;
    const parent = dirname(path);
    const lacksParent = (error as NodeJS.ErrnoException).code === 'ENOENT' && !existsSync(parent);
    if (!lacksParent || parent === path) throw error;
    makeFolder(parent, mode);
    // Another process may have created it.
    makeFolder(path, mode);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
