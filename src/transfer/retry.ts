import { Refusal } from '../client/index.ts';
import { type FileSet, pause } from './file-set.ts';

const MAX_TRIES = 3;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;

/**
 * Makes a call, and again when the service asks for a pause: a 429 took no effect. A pause longer
 * than 30 seconds is left to the caller, as the refusal that it is.
 */
export async function retryOn429<Value>(
  fileSet: FileSet,
  call: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429 || tries === MAX_TRIES) throw error;
      const wait = error.retryAfterMs ?? FIRST_WAIT_MS * tries;
      if (wait > MAX_WAIT_MS) throw error;
      await pause(fileSet, wait);
    }
  }
}
