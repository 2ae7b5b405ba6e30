import { type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NAME = 'lectern.json';

/**
 * The project file of the current or a given folder, or of the nearest folder above it. A file of
 * another user is skipped, for example in a folder for temporary files: it could name where grades
 * go. So is a folder that the user may not read.
 */
export function findProjectFile(folder = currentFolder()): string | undefined {
  if (folder === undefined) return undefined;
  const file = join(folder, NAME);
  const facts = factsOf(file);
  if (facts?.isFile() && isTrusted(facts.uid)) return file;
  const above = dirname(folder);
  return above === folder ? undefined : findProjectFile(above);
}

function factsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}

/** Undefined if it was removed. */
function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Windows has no such users; root reads files of others, as in a container. */
function isTrusted(owner: number): boolean {
  const user = process.getuid?.();
  return user === undefined || user === 0 || owner === user || owner === 0;
}
