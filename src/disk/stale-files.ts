import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** No file key can be such a name. */
const TRANSFER = /^\.lectern-[0-9a-f-]{36}\.tmp$/;

export function transferName(): string {
  return `.lectern-${randomUUID()}.tmp`;
}

/** Whether a name is the temporary one of a file in transfer. */
export function isTransferName(name: string): boolean {
  return TRANSFER.test(name);
}

const REPLACEMENT = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** The path of the new content of a file until it replaces the file. */
export function replacementPath(path: string): string {
  return `${path}.${randomUUID()}.tmp`;
}

/** Whether a name is of the new content of any file. */
export function isReplacement(name: string): boolean {
  return REPLACEMENT.test(name);
}

/** Whether a name is of the new content of this file. */
export function isReplacementOf(path: string): (name: string) => boolean {
  const file = basename(path);
  return (name) => name.startsWith(file) && REPLACEMENT.exec(name)?.index === file.length;
}

/** A small file is complete long before that. */
const SMALL_FILE_MS = 60_000;

/**
 * Removes temporary files that killed processes left in a folder: they may contain secrets. Files that
 * are younger than `olderThanMs` may still be in use. Errors are ignored.
 */
export async function removeStaleFiles(
  folder: string,
  isOurs: (name: string) => boolean,
  olderThanMs = SMALL_FILE_MS,
): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const path of names.filter(isOurs).map((name) => join(folder, name))) {
    const stats = await lstat(path).catch(() => undefined);
    const isOld = stats !== undefined && Date.now() - stats.mtimeMs >= olderThanMs;
    if (isOld && stats.isFile()) await rm(path, { force: true }).catch(() => {});
  }
}

/** Removes a file or folder when the process ends. Errors are ignored. */
export function removeAtExit(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // An error now would end as a stack trace on the screen.
  }
}
