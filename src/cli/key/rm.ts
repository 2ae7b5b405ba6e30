import { isName } from '../arguments/names.ts';
import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { noSuchKey } from './saved.ts';

export async function runRemove(context: Context, given: string): Promise<void> {
  const store = await context.keys();
  const name = isName(given) ? await store.spelling(given) : undefined;
  if (name === undefined) throw noSuchKey(given, await store.names());
  await store.remove(name);
  const settings = await context.settings();
  const wasCurrent = settings.get('currentKey') === name;
  if (wasCurrent) await settings.set('currentKey', undefined);
  if (context.options.json) await printJson<'key rm'>(context, { removed: name });
  else await note(context, `deleted key ${name}${wasCurrent ? '; no key is in use now' : ''}`);
}
