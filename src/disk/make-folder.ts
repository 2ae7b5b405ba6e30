import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents, as `mkdir -p` does; one that is there keeps its mode. Throws
 * the system's own error. Node's `recursive` never ends where a folder that is there refuses to hold
 * another (`/proc/x`), and calls a read-only disk "no such file or directory".
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
    // Another process may have made it meanwhile.
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
