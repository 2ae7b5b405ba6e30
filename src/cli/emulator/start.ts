import type { Context } from '../runtime.ts';
import type { EmulatorStartOptions } from './flags.ts';

/** Starts an emulator here, or in the background: then only the code for that is loaded. */
export async function runStart(context: Context<EmulatorStartOptions>): Promise<void> {
  if (context.options.detach) {
    const { startDetached } = await import('./detach.ts');
    await startDetached(context);
  } else {
    const { startInForeground } = await import('./foreground.ts');
    await startInForeground(context);
  }
}
