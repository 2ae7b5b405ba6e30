import { isName } from '../arguments/names.ts';
import { nearest } from '../../validator/nearest.ts';
import { UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';

export async function runRemove(context: Context, name: string): Promise<void> {
  const store = await context.keys();
  if (!isName(name) || !(await store.remove(name))) {
    // What was typed might be a key itself, so it is not repeated.
    throw new UsageError('no API key is saved under this name', nearest(name, await store.names()));
  }
  if (context.options.json) await printJson(context, { removed: name });
  else await note(context, `deleted key ${name}`);
}
