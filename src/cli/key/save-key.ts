import { isHeaderText } from '../../contract/index.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import { checkName } from '../arguments/names.ts';
import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';

/** Saves a key by a name that is not taken, unless `force` replaces it, and says so. */
export async function saveKey(
  context: Context,
  key: { readonly name: string; readonly origin: string; readonly force?: boolean | undefined },
  readSecret: () => string | Promise<string>,
): Promise<void> {
  const { name, origin, force } = key;
  checkName(name);
  const store = await context.keys();
  if (!force && (await store.names()).includes(name)) {
    throw new UsageError(
      `a key is saved as ${name} already`,
      'choose another name, or replace it with --force',
    );
  }
  const secret = checkKey(await readSecret());
  const saved = { name, origin, saved: new Date(context.now()).toISOString() };
  await store.save({ ...saved, secret });
  if (context.options.json) await printJson(context, saved);
  else await note(context, `saved the key ${name}; it is sent to ${origin} only`);
}

/** A key travels in a header, where only visible ASCII can stand. */
function checkKey(typed: string): string {
  const key = typed.trim();
  if (isHeaderText(key)) return key;
  throw new InvalidError(
    key === ''
      ? 'the key is empty'
      : 'the key holds a space, a control or a foreign character, which no header can carry',
    { code: 'key.unusable', hint: 'give the key alone, as the dashboard shows it' },
  );
}
