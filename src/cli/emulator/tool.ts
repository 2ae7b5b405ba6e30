import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runTool(
  runtime: Runtime,
  options: GlobalOptions,
  change: { readonly action: string; readonly tool?: string },
): Promise<void> {
  const done = await control(runtime, options, 'POST tool', change);
  if (options.json) await printJson(runtime, done);
  const { id, status } = done.tool;
  await note(runtime, options, `tool ${id} is ${status}; tokens ended: ${done.ended}`);
}
