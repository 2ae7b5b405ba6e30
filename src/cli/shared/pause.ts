import { InterruptedError } from '../../errors.ts';
import type { Runtime } from '../runtime.ts';

/** Waits; throws `InterruptedError` at an interrupt. */
export async function pause(runtime: Runtime, ms: number): Promise<void> {
  try {
    await runtime.sleep(ms, runtime.interrupt);
  } catch (error) {
    throw new InterruptedError('interrupted', undefined, { cause: error });
  }
}
