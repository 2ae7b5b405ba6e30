import { statSync } from 'node:fs';

/**
 * Detects that files were removed or replaced since they were first checked. A removed file can still be
 * written while it is open, but its content is lost afterwards.
 */
export class SameFiles {
  readonly #identities = new Map<string, string>();

  areSame(paths: readonly string[]): boolean {
    return paths.every((path) => {
      const found = identityOf(path);
      if (found === undefined) return false;
      const before = this.#identities.get(path) ?? found;
      this.#identities.set(path, before);
      return found === before;
    });
  }
}

/** The inode of an open file cannot be reused. */
function identityOf(path: string): string | undefined {
  // Some inodes do not fit in a JavaScript number.
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
