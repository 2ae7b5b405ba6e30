import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runReset(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const done = await control(runtime, options, 'POST reset');
  if (options.json) await printJson(runtime, done);
  await note(runtime, options, 'the emulator is as new; launches that were saved have ended');
}
