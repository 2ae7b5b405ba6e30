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
      `a key named ${name} is already saved`,
      'use another name, or --force to replace it',
    );
  }
  const secret = checkKey(await readSecret());
  const saved = { name, origin, saved: new Date(context.now()).toISOString() };
  await store.save({ ...saved, secret });
  if (context.options.json) await printJson(context, saved);
  else await note(context, `saved key ${name}; it is sent only to ${origin}`);
}

/** A key travels in a header, where only visible ASCII can stand. */
function checkKey(typed: string): string {
  const key = typed.trim();
  if (isHeaderText(key)) return key;
  throw new InvalidError(
    key === ''
      ? 'the key is empty'
      : 'the key contains a space, a control character or a non-ASCII character',
    { code: 'key.unusable', hint: 'pass only the key, as the dashboard shows it' },
  );
}
