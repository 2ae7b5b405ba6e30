/** Waits so many milliseconds, or rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** Waits that end early when the caller goes away, and all at once at a reset or the end. */
export class Delays {
  readonly #sleep: Sleep;
  readonly #cancels = new Set<() => void>();

  constructor(sleep: Sleep) {
    this.#sleep = sleep;
  }

  /** Resolves with true when the time has passed, and with false when the wait was cut short. */
  wait(ms: number, signal?: AbortSignal): Promise<boolean> {
    const cut = new AbortController();
    return new Promise((resolve, reject) => {
      const end = (hasPassed: boolean): void => {
        this.#cancels.delete(cancel);
        signal?.removeEventListener('abort', cancel);
        resolve(hasPassed);
      };
      const cancel = (): void => {
        end(false);
        cut.abort();
      };
      this.#cancels.add(cancel);
      signal?.addEventListener('abort', cancel);
      this.#sleep(ms, cut.signal).then(
        () => end(true),
        // Once the wait is over this is the rejection that ended the sleep.
        (error: unknown) => reject(error as Error),
      );
      if (signal?.aborted) cancel();
    });
  }

  /** Cuts all waits short. */
  endAll(): void {
    for (const cancel of this.#cancels) cancel();
  }
}
