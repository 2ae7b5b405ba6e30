import { savedName } from './saved.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson } from '../ui.ts';

export async function runRemove(
  runtime: Runtime,
  options: GlobalOptions,
  given: string,
): Promise<void> {
  const name = await savedName(runtime, given);
  await (await runtime.launches()).remove(name);
  await (await runtime.sightings()).forget(name);
  const settings = await runtime.settings();
  const wasCurrent = settings.get('currentLaunch') === name;
  if (wasCurrent) await settings.set('currentLaunch', undefined);
  if (options.json) {
    await printJson(runtime, { removed: name });
    return;
  }
  await note(runtime, options, `${name} is forgotten${wasCurrent ? '; none is in use now' : ''}`);
}
