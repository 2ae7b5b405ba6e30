import { statSync } from 'node:fs';

/** A file that is kept open, and the place where it was when it was opened. */
export class OpenedFile {
  readonly #path: string;
  readonly #identity: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#identity = identityOf(path);
  }

  /** Throws where another file, or none, is in its place: what is written to it would be lost. */
  check(): void {
    if (identityOf(this.#path) !== this.#identity) {
      throw new Error(`${this.#path} was removed or replaced`);
    }
  }
}

/** Undefined where nothing is there. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
