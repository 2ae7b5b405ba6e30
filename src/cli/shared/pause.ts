import { InterruptedError } from '../../errors.ts';
import type { Runtime } from '../runtime.ts';

/** Waits, unless an interrupt comes first: throws `InterruptedError` then. */
export async function pause(runtime: Runtime, ms: number): Promise<void> {
  try {
    await runtime.sleep(ms, runtime.interrupt);
  } catch (error) {
    throw new InterruptedError('interrupted', undefined, { cause: error });
  }
}
