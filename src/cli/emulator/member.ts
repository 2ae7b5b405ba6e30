import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runRemove(
  runtime: Runtime,
  options: GlobalOptions,
  member: string,
): Promise<void> {
  const done = await control(runtime, options, 'POST member/remove', { member });
  if (options.json) await printJson(runtime, done);
  await note(runtime, options, `${member} has left; tokens ended: ${done.ended}`);
}
