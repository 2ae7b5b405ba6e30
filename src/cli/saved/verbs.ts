import { oneOfWords } from '../../contract/nearest.ts';
import { UsageError } from '../../errors.ts';
import { canPrompt } from '../ask.ts';
import { HOW_TO_SAVE, isName, isSameName, unknownName } from '../arguments/names.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import { escapeText } from '../../contract/escape.ts';
import { moreText, newestSaved } from '../output/notes.ts';
import { factsOf, tableOf } from '../output/columns.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { choose, precedenceNotes } from '../session/precedence.ts';
import { SAVED_KINDS, type SavedKind } from './kinds.ts';

type What = keyof typeof SAVED_KINDS;

/** An item of a list, as far as the verbs know it. */
type Item = Readonly<{ name: string; current: boolean; saved: string }>;

/** A kind whatever its entries are: the verbs only hand them on. */
function kindOf(what: What): SavedKind<unknown, { readonly name: string }, Item> {
  return SAVED_KINDS[what] as never;
}

/** Lists what is saved, the newest on a terminal; damaged files are skipped. */
export async function listSaved(context: Context<LimitOptions>, what: What): Promise<Result> {
  const { columns } = kindOf(what);
  const { items: all, skipped } = await allItems(context, what);
  const items = newestSaved(context, all);
  const none = `no saved ${what}${what === 'launch' ? 'es' : 's'}; ${HOW_TO_SAVE[what]}`;
  return {
    json: items,
    show: items.length > 0 ? tableOf(columns, items, context.now()) : [],
    notes: [...skipped, ...(items.length > 0 ? moreText(context, all.length) : [none])],
  };
}

async function allItems(
  context: Context,
  what: What,
): Promise<{ items: Item[]; skipped: string[] }> {
  const { store, item } = kindOf(what);
  const skipped: string[] = [];
  const entries = await (await store(context)).list((why) => void skipped.push(`skipped: ${why}`));
  const current = await currentName(context, what);
  const items = entries.map((each) => item(context, each, each.name === current));
  return { items: await Promise.all(items), skipped };
}

async function currentName(context: Context, what: What): Promise<string | undefined> {
  return (await context.settings()).get(kindOf(what).setting);
}

/** Chooses what later commands use; on a terminal without a name, asks. */
export async function useSaved(
  context: Context,
  what: What,
  given: string | undefined,
): Promise<Result> {
  const { setting, words, none, otherwise } = kindOf(what);
  const settings = await context.settings();
  if (given !== undefined && none !== undefined && isSameName(given, none)) {
    await settings.set(setting, undefined);
    return { json: { name: none }, notes: [otherwise, ...precedenceNotes(context, what)] };
  }
  const entry = await savedEntry(context, what, given ?? (await pick(context, what)));
  await settings.set(setting, entry.name);
  const item = await kindOf(what).item(context, entry, true);
  const now = `now using ${what} ${item.name}: ${words(item)}`;
  return { json: item, notes: [now, ...precedenceNotes(context, what)] };
}

async function pick(context: Context, what: What): Promise<string> {
  const { words } = kindOf(what);
  const { items } = await allItems(context, what);
  if (items.length === 0) throw new UsageError(`no ${what} is saved`, HOW_TO_SAVE[what]);
  if (!canPrompt(context)) {
    throw new UsageError(`no ${what} given`, oneOfWords(items.map(({ name }) => name)));
  }
  const prompts = await context.prompts();
  return prompts.pick(
    `Which ${what}?`,
    items.map((each) => ({
      name: escapeText(`${each.name}${each.current ? ' (in use)' : ''}: ${words(each)}`),
      value: each.name,
    })),
  );
}

/** All that is shown of one: the named one, else the one in use. */
export async function showSaved(
  context: Context,
  what: What,
  given: string | undefined,
): Promise<Result & { readonly json: Item }> {
  const { columns, item } = kindOf(what);
  const { name, notes } = await inUse(context, what, given);
  if (name === undefined) {
    const way = `pass a name, or run: lectern ${what} use NAME`;
    throw new UsageError(`no ${what} is in use`, way);
  }
  const entry = await savedEntry(context, what, name);
  const shown = await item(context, entry, entry.name === (await currentName(context, what)));
  return {
    json: shown,
    show: factsOf(columns, shown, context.now()),
    notes,
  };
}

/** The name of the one in use, if none is given. A variable may have the secret or the address itself. */
async function inUse(context: Context, what: What, given: string | undefined) {
  if (given !== undefined) return { name: given, notes: [] };
  const choice = await choose(context, what);
  const isNamed = choice?.from !== 'variable' || (what !== 'key' && isName(choice.value));
  if (isNamed) return { name: choice?.value, notes: [] };
  return { name: await currentName(context, what), notes: precedenceNotes(context, what) };
}

/** Deletes one, with its secret. */
export async function removeSaved(context: Context, what: What, given: string): Promise<Result> {
  const { setting, otherwise, forget } = kindOf(what);
  const store = await kindOf(what).store(context);
  const name = isName(given) ? await store.spelling(given) : undefined;
  if (name === undefined) throw await unknownName(store, what, given);
  await store.remove(name);
  await forget?.(context, name);
  const settings = await context.settings();
  const wasCurrent = settings.get(setting) === name;
  if (wasCurrent) await settings.set(setting, undefined);
  const now = wasCurrent ? `; ${otherwise}` : '';
  return { json: { removed: name }, notes: [`deleted ${what} ${name}${now}`] };
}

/** The entry with a name, without its secret; an unknown one is a usage error. */
async function savedEntry(
  context: Context,
  what: What,
  name: string,
): Promise<{ readonly name: string }> {
  const store = await kindOf(what).store(context);
  const entry = isName(name) ? await store.find(name) : undefined;
  if (entry !== undefined) return entry;
  const source = context.sources[what];
  throw await unknownName(store, what, name, source && ` (in ${source})`);
}
