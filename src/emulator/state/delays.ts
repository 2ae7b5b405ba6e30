import { setTimeout } from 'node:timers/promises';

/** Waits for some milliseconds; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits by the machine's clock. */
export const machineSleep: Sleep = (ms, signal) => setTimeout(ms, undefined, { signal });

/**
 * Waits that end early if the caller disconnects, and all at once if the emulator is reset or
 * stops.
 */
export class Delays {
  readonly #sleep: Sleep;
  readonly #cancels = new Set<() => void>();
  /** How often all waits were cancelled, by a reset, an import or the end. */
  #resets = 0;

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  /** Returns a test whether all waits have been cancelled since. */
  watchReset(): () => boolean {
    const before = this.#resets;
    return () => this.#resets !== before;
  }

  /** Resolves to true when the time has passed, to false if the wait was cancelled. */
  wait(ms: number, signal?: AbortSignal): Promise<boolean> {
    const controller = new AbortController();
    return new Promise((resolve, reject) => {
      const end = (hasPassed: boolean): void => {
        this.#cancels.delete(cancel);
        signal?.removeEventListener('abort', cancel);
        resolve(hasPassed);
      };
      const cancel = (): void => {
        end(false);
        controller.abort();
      };
      this.#cancels.add(cancel);
      signal?.addEventListener('abort', cancel);
      this.#sleep(ms, controller.signal).then(
        () => end(true),
        // The rejection that ended the sleep, if it came after the wait.
        (error: unknown) => reject(error as Error),
      );
      if (signal?.aborted) cancel();
    });
  }

  /** Cancels all waits. */
  endAll(): void {
    this.#resets++;
    for (const cancel of this.#cancels) cancel();
  }
}
