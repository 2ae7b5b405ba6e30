import { UsageError } from '../../errors.ts';
import { canPrompt } from '../ask.ts';
import { refuseTaken } from '../arguments/names.ts';
import { readInput } from '../input/read.ts';
import { MAX_LAUNCH_BYTES } from '../sizes.ts';
import { secretNotes } from '../output/notes.ts';
import type { Context } from '../runtime.ts';
import type { SavedKind } from './kinds.ts';

/** What saving an entry comes to, for the result of a verb. */
interface Kept<Item> {
  readonly item: Item;
  readonly notes: readonly string[];
}

/** The date of an entry that is saved now. */
export function savedNow(context: Context): { readonly saved: string } {
  return { saved: new Date(context.now()).toISOString() };
}

/**
 * Saves an entry with its secret under its name.
 *
 * @throws {UsageError} for an invalid name, or one that is taken, unless `force` replaces it
 */
export async function saveEntry<
  Entry extends Listed & { readonly name: string },
  Listed,
  Item extends { readonly current: boolean },
>(
  context: Context,
  kind: SavedKind<Entry, Listed, Item>,
  entry: Entry,
  force: boolean | undefined,
): Promise<Kept<Item>> {
  const { what, setting, isUsedAtOnce, words } = kind;
  const store = await kind.store(context);
  await refuseTaken(store, what, entry.name, force);
  const settings = await context.settings();
  let inUse = settings.get(setting);
  const isNew = (await store.spelling(entry.name)) === undefined;
  const { name, secretFile } = await store.save(entry);
  try {
    // Another process may be saving the first one too.
    if (isUsedAtOnce) inUse ??= await settings.set(setting, name, { isDefault: true });
  } catch (error) {
    // It is saved and in use, or neither.
    if (isNew) await store.remove(name);
    throw error;
  }
  const item = await kind.item(context, { ...entry, name }, inUse === name);
  const use = item.current ? 'it is in use' : `use it with: lectern ${what} use ${name}`;
  const saved = `saved ${what} ${name}: ${words(item)}; ${use}`;
  return { item, notes: [saved, ...(await secretNotes(context, kind.secret, secretFile))] };
}

/** Reads a secret: from a hidden prompt, else from standard input; '' for none, if that is allowed. */
export async function readSecret(
  context: Context,
  what: 'key' | 'password',
  { question, isOptional = false }: { readonly question: string; readonly isOptional?: boolean },
): Promise<string> {
  if (canPrompt(context)) return (await context.prompts()).secret(question);
  if (context.stdin.isTerminal) {
    if (isOptional) return '';
    const message = `no ${what} given, and no terminal to prompt on`;
    throw new UsageError(message, 'pass it on standard input');
  }
  const { bytes } = await readInput(context, '-', `the ${what}`, MAX_LAUNCH_BYTES);
  return new TextDecoder().decode(bytes);
}
