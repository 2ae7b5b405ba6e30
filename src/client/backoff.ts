/** A longer `Retry-After` is not waited for: the call, or the run, ends with the 429. */
export const MAX_RETRY_AFTER_MS = 60_000;

const MAX_BACKOFF_MS = 8000;

/**
 * How long to wait before a call is repeated that had no effect, without a `Retry-After`: twice as
 * long each time.
 *
 * @param tries how often it was repeated already
 */
export function backoffMs(firstMs: number, tries: number): number {
  return Math.min(MAX_BACKOFF_MS, firstMs * 2 ** tries);
}
