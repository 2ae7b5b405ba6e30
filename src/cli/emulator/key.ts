import { saveKey } from '../key/save.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { control } from './control.ts';
import type { EmulatorKeyOptions } from './flags.ts';

/** Prints the API key of a tool, which is not secret in an emulator, or saves it under a name. */
export async function runKey(context: Context<EmulatorKeyOptions>): Promise<Result> {
  const { tool, save: name, force } = context.options;
  const key = await control(context, 'POST key', { tool });
  if (name === undefined) return { json: key, show: key.api_key };
  return saveKey(context, { name, origin: key.origin, secret: key.api_key }, force);
}
