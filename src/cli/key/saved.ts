import { InvalidError, UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { mistakeIn } from '../arguments/secrets.ts';
import { refuseTaken } from '../arguments/names.ts';
import { note, noteSecretFile, printJson } from '../ui.ts';
import { nearest } from '../../contract/nearest.ts';

/** Saves a key under a name that is not taken, unless `force` replaces it, and confirms it. */
export async function saveKey(
  context: Context,
  key: { readonly name: string; readonly origin: string; readonly force?: boolean | undefined },
  readSecret: () => string | Promise<string>,
): Promise<void> {
  const { origin, force } = key;
  const store = await context.keys();
  await refuseTaken(store, 'key', key.name, force);
  const secret = checkKey(await readSecret());
  const saved = { name: key.name, origin, saved: new Date(context.now()).toISOString() };
  const { name, secretFile } = await store.save({ ...saved, secret });
  if (context.options.json) await printJson<'key save'>(context, { ...saved, name });
  await note(context, `saved key ${name}; it is sent only to ${origin}`);
  await noteSecretFile(context, 'key', secretFile);
}

/** A key is sent in a header, which takes only visible ASCII. */
function checkKey(typed: string): string {
  const key = typed.trim();
  const mistake = mistakeIn(key);
  if (mistake === undefined) return key;
  const { fault, hint } = mistake;
  throw new InvalidError(`the key ${fault}`, { code: 'key.unusable', hint });
}

/** What was typed might be a key itself, so it is not repeated. */
export function noSuchKey(typed: string, names: readonly string[]): UsageError {
  return new UsageError('no API key is saved under this name', nearest(typed, names));
}
