import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runReset(context: Context): Promise<void> {
  const done = await control(context, 'POST reset');
  if (context.options.json) await printJson(context, done);
  await note(context, 'the emulator was reset; saved launches have ended');
}
