import { serviceOrigin } from '../arguments/addresses.ts';
import { refuseTaken } from '../arguments/names.ts';
import { usableSecret } from '../arguments/secrets.ts';
import { UsageError } from '../../errors.ts';
import type { Result } from '../output/result.ts';
import type { Called, Context } from '../runtime.ts';
import { SAVED_KINDS } from '../saved/kinds.ts';
import { readSecret, savedNow, saveEntry } from '../saved/save.ts';
import type { SAVE_KEY_FLAGS } from './flags.ts';

export async function runSave(context: Called<typeof SAVE_KEY_FLAGS>, name: string) {
  const { options } = context;
  // Checked here because commander would report it before a secret among the arguments.
  if (options.origin === undefined) {
    throw new UsageError(
      'the service that the key is for is missing',
      'lectern key save NAME --origin https://service.example, the key on standard input',
    );
  }
  const origin = serviceOrigin(options.origin);
  await refuseTaken(await context.keys(), 'key', name, options.force);
  const secret = await readSecret(context, 'key', { question: 'API key (hidden):' });
  return saveKey(context, { name, origin, secret }, options.force);
}

/** Saves a key under a name that is not taken, unless `force` replaces it. */
export async function saveKey(
  context: Context,
  { name, origin, secret }: { name: string; origin: string; secret: string },
  force: boolean | undefined,
): Promise<Result> {
  const entry = {
    ...savedNow(context),
    name,
    origin,
    secret: usableSecret(secret, 'the key', 'key.unusable'),
  };
  const { item, notes } = await saveEntry(context, SAVED_KINDS.key, entry, force);
  return { json: item, notes };
}
