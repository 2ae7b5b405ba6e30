import { numberText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { note } from '../ui.ts';
import type { LimitOptions } from '../arguments/numbers.ts';

/** A longer list would scroll its beginning off the screen. */
const SHOWN_ON_TERMINAL = 30;

/**
 * The number of entries that a list shows: `--limit`, else 30 on a terminal; a pipe and `--json`
 * get all.
 */
export function shownLimit({ options, stdout }: Context<LimitOptions>): number {
  const isCut = stdout.isTerminal && !options.json;
  return options.limit ?? (isCut ? SHOWN_ON_TERMINAL : Infinity);
}

/** The entries that a list shows of those saved by name: the newest, in the order of all. */
export function newestSaved<Entry extends { readonly saved: string }>(
  context: Context<LimitOptions>,
  all: readonly Entry[],
): Entry[] {
  const newest = all
    .toSorted((a, b) => Date.parse(b.saved) - Date.parse(a.saved))
    .slice(0, shownLimit(context));
  return all.filter((each) => newest.includes(each));
}

/** Notes how many entries of a list a terminal does not show, and how to see them. */
export async function noteMore(context: Context<LimitOptions>, total: number): Promise<void> {
  const more = context.options.limit === undefined ? total - shownLimit(context) : 0;
  if (more > 0) await note(context, `and ${numberText(more)} more: --limit ${total}`);
}
