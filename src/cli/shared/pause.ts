import { InterruptedError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';

/** Waits, unless an interrupt comes first; `words` tell of that. */
export async function pause(runtime: Runtime, ms: number, words = 'interrupted'): Promise<void> {
  try {
    await runtime.sleep(ms, runtime.interrupt);
  } catch (error) {
    throw new InterruptedError(words, undefined, { cause: error });
  }
}
