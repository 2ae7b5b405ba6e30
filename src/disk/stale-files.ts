import { rmSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

const TEMPORARY = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** The name that a file has until it is whole. */
export function temporaryPath(path: string): string {
  return `${path}.${crypto.randomUUID()}.tmp`;
}

/** Whether a name in a folder is one that some file there had until it was whole. */
export function isTemporaryPath(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Whether it was this file that had it. */
export function isTemporaryOf(path: string): (name: string) => boolean {
  const file = basename(path);
  return (name) => name.startsWith(file) && TEMPORARY.exec(name)?.index === file.length;
}

/** A small file is whole long before that. */
const SMALL_FILE_MS = 60_000;

/**
 * Takes away what lecterns that were killed have left in a folder: it may hold a secret. Files that
 * are younger than `olderThanMs` are perhaps still being written. What cannot be removed stays.
 */
export async function removeStaleFiles(
  folder: string,
  isOurs: (name: string) => boolean,
  olderThanMs = SMALL_FILE_MS,
): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter(isOurs).map((name) => join(folder, name))) {
    const found = await lstat(path).catch(() => undefined);
    const isOld = found !== undefined && Date.now() - found.mtimeMs >= olderThanMs;
    if (isOld && found.isFile()) await rm(path, { force: true }).catch(() => {});
  }
}

/** Takes away a file or folder when the process ends. What stays is told by nobody any more. */
export function removeAtExit(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The place has become another, or was none: an error now would end as a stack on the screen.
  }
}
