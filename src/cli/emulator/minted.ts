import type { Claims } from '../../contract/index.ts';
import { keepLaunch } from '../launch/keep.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJsonText } from '../ui.ts';

/**
 * Keeps fresh claims by name, where asked to, and prints them: an emulator's token is no secret. What
 * had the name is replaced, since a script mints anew each time it runs.
 */
export async function keepAndPrint(
  runtime: Runtime,
  options: GlobalOptions & { readonly save?: string },
  claims: Claims,
): Promise<void> {
  const { save: name } = options;
  if (name !== undefined) {
    const { current } = await keepLaunch(runtime, { name, claims, force: true });
    const use = current ? 'it is the one in use' : `use it: lectern … -l ${name}`;
    await note(runtime, options, `saved as ${name}; ${use}`);
  }
  await printJsonText(runtime, JSON.stringify(claims, null, options.json ? 0 : 2));
}
