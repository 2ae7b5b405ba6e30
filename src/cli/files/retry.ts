import { Refusal } from '../../client/index.ts';
import type { Runtime } from '../runtime.ts';
import { pause } from '../shared/pause.ts';

const MAX_TRIES = 3;
const FIRST_WAIT_MS = 1000;
const MAX_WAIT_MS = 30_000;

/**
 * Makes a call, and again when the service asks for a pause: a 429 took no effect. A pause that is
 * longer than anybody waits for is left to the caller, as the refusal that it is.
 */
export async function patiently<Value>(
  runtime: Runtime,
  call: () => Promise<Value>,
): Promise<Value> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== 429 || tries === MAX_TRIES) throw error;
      const wait = error.retryAfterMs ?? FIRST_WAIT_MS * tries;
      if (wait > MAX_WAIT_MS) throw error;
      await pause(runtime, wait);
    }
  }
}
