import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runTool(
  context: Context,
  change: { readonly action: string; readonly tool?: string },
): Promise<void> {
  const done = await control(context, 'POST tool', change);
  if (context.options.json) await printJson(context, done);
  const { id, status } = done.tool;
  await note(context, `tool ${id} is ${status}; tokens ended: ${done.ended}`);
}
