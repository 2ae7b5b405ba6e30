import { isName } from '../arguments/names.ts';
import { nearest } from '../arguments/nearest.ts';
import { UsageError } from '../../errors.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson } from '../ui.ts';

export async function runRemove(
  runtime: Runtime,
  options: GlobalOptions,
  name: string,
): Promise<void> {
  const store = await runtime.keys();
  if (!isName(name) || !(await store.remove(name))) {
    // What was typed might be a key itself, so it is not repeated.
    throw new UsageError('no API key is saved under that name', nearest(name, await store.names()));
  }
  if (options.json) await printJson(runtime, { removed: name });
  else await note(runtime, options, `${name} is forgotten`);
}
