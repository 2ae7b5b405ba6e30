import { saveKey } from '../key/saved.ts';
import type { Context } from '../runtime.ts';
import { printJson, printText } from '../ui.ts';
import { control } from './control.ts';
import type { EmulatorKeyOptions } from './flags.ts';

/** Prints the API key of a tool, which is not secret in an emulator, or saves it under a name. */
export async function runKey(context: Context<EmulatorKeyOptions>): Promise<void> {
  const { tool, save: name, force, json } = context.options;
  const key = await control(context, 'POST key', { tool });
  if (name !== undefined) {
    await saveKey(context, { name, origin: key.origin, force }, () => key.api_key);
  } else if (json) await printJson(context, key);
  else await printText(context, key.api_key);
}
