import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runRemove(context: Context, member: string): Promise<void> {
  const done = await control(context, 'POST member/remove', { member });
  if (context.options.json) await printJson(context, done);
  await note(context, `removed ${member}; tokens ended: ${done.ended}`);
}
