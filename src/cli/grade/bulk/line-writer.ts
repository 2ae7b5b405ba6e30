import type { Output } from '../../runtime.ts';
import { writeJson } from '../../ui.ts';

/** In characters. */
const MOST_PENDING = 256 << 10;

/**
 * Writes lines in order, those of one turn of the event loop at once: a write for each would take
 * longer than sending a row.
 */
export class LineWriter {
  readonly #output: Output;
  readonly #onClosed: () => void;
  #pending = '';
  #writing: Promise<void> | undefined;

  /** `onClosed` is called when the reader is gone. */
  constructor(output: Output, onClosed: () => void) {
    this.#output = output;
    this.#onClosed = onClosed;
  }

  /** Adds whole lines. */
  add(lines: string): void {
    this.#pending += lines;
    this.#writing ??= this.#write();
  }

  /** Resolves when there is room for more: unread lines are kept in memory. */
  async ready(): Promise<void> {
    if (this.#pending.length > MOST_PENDING) await this.flush();
  }

  /** Resolves when all lines have been taken. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  async #write(): Promise<void> {
    await new Promise(setImmediate);
    while (this.#pending !== '' && !this.#output.broken) {
      const text = this.#pending;
      this.#pending = '';
      await writeJson(this.#output, text);
    }
    // Reset at once: the current write does not include lines that are added from now on.
    this.#writing = undefined;
    if (!this.#output.broken) return;
    this.#pending = '';
    this.#onClosed();
  }
}
