import type { Claims } from '../../contract/index.ts';
import { saveLaunch } from '../launch/save-launch.ts';
import type { GlobalOptions, Context } from '../runtime.ts';
import { note, printJsonText } from '../ui.ts';

/**
 * Keeps fresh claims by name, where asked to, and prints them: an emulator's token is no secret. What
 * had the name is replaced, since a script mints anew each time it runs.
 */
export async function saveAndPrint(
  context: Context<GlobalOptions & { readonly save?: string }>,
  claims: Claims,
): Promise<void> {
  const { options } = context;
  const { save: name } = options;
  if (name !== undefined) {
    const { current } = await saveLaunch(context, { name, claims, force: true });
    const use = current ? 'it is the one in use' : `use it: lectern … -l ${name}`;
    await note(context, `saved as ${name}; ${use}`);
  }
  await printJsonText(context, JSON.stringify(claims, null, options.json ? 0 : 2));
}
