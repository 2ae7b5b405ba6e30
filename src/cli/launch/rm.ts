import { savedName } from './saved.ts';
import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';

export async function runRemove(context: Context, given: string): Promise<void> {
  const name = await savedName(context, given);
  await (await context.launches()).remove(name);
  await (await context.tokenStatus()).forget(name);
  const settings = await context.settings();
  const wasCurrent = settings.get('currentLaunch') === name;
  if (wasCurrent) await settings.set('currentLaunch', undefined);
  if (context.options.json) {
    await printJson<'launch rm'>(context, { removed: name });
    return;
  }
  await note(context, `deleted launch ${name}${wasCurrent ? '; no launch is in use now' : ''}`);
}
