import { statSync } from 'node:fs';

/** Detects that an open file was removed or replaced. */
export class OpenedFile {
  readonly #path: string;
  readonly #identity: string | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#identity = identityOf(path);
  }

  /** Throws if another file, or none, has its path: what is written to it would be lost. */
  check(): void {
    if (identityOf(this.#path) !== this.#identity) {
      throw new Error(`${this.#path} was removed or replaced`);
    }
  }
}

/** Undefined if there is no file. */
function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
