import type { Claims } from '../../contract/index.ts';
import { refuseTakenName, saveLaunch } from '../launch/save-launch.ts';
import type { Context } from '../runtime.ts';
import { note, printJsonText } from '../ui.ts';
import type { EmulatorSaveClaimsOptions } from './flags.ts';

/** Refuses an invalid or taken name before anything is minted. */
export async function checkSave(context: Context<EmulatorSaveClaimsOptions>): Promise<void> {
  const { save, force } = context.options;
  if (save !== undefined) await refuseTakenName(context, save, force);
}

/** Prints new claims, and saves them if a name is given: an emulator's token is not secret. */
export async function saveAndPrint(
  context: Context<EmulatorSaveClaimsOptions>,
  claims: Claims,
): Promise<void> {
  await saveIfNamed(context, claims);
  const { options } = context;
  await printJsonText(context, JSON.stringify(claims, null, options.json ? 0 : 2));
}

export async function saveIfNamed(
  context: Context<EmulatorSaveClaimsOptions>,
  claims: Claims,
): Promise<void> {
  const { options } = context;
  const { save: name } = options;
  if (name !== undefined) {
    const { saved, current } = await saveLaunch(context, { name, claims, force: options.force });
    const use = current ? 'it is in use' : `use it with: lectern … -l ${saved.name}`;
    await note(context, `saved as ${saved.name}; ${use}`);
  }
}
