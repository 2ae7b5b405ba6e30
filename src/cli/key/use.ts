import { isName } from '../arguments/names.ts';
import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { notePrecedence } from '../session/precedence.ts';
import { noSuchKey } from './saved.ts';

/** Chooses the default key of grade commands. */
export async function runUse(context: Context, name: string): Promise<void> {
  const store = await context.keys();
  const saved = isName(name) ? await store.get(name) : undefined;
  if (!saved) throw noSuchKey(name, await store.names());
  await (await context.settings()).set('currentKey', saved.name);
  const { origin, saved: since } = saved;
  if (context.options.json) {
    await printJson<'key use'>(context, { name: saved.name, origin, saved: since, current: true });
  } else await note(context, `now using key ${saved.name} for ${origin}`);
  await notePrecedence(context, 'key');
}
