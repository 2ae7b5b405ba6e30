import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents; an existing one keeps its mode. Throws the system's error.
 * Node's `recursive` never returns for a folder such as `/proc/x`.
 */
export function makeFolder(path: string, mode = 0o777): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
