import { statSync } from 'node:fs';

/**
 * Whether paths still name the files that they named when they were first looked at. A file that was
 * removed or replaced can be written on for as long as it is open, and is nowhere afterwards.
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

/** A number that is open cannot be given to another file. */
function identityOf(path: string): string | undefined {
  // Not all numbers of a file system fit a JavaScript number.
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
