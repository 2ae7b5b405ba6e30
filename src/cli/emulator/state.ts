import { stateTables } from '../output/emulator.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import type { Result } from '../output/result.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import type { Context, Output } from '../runtime.ts';
import { control } from './control.ts';

/** An empty line on a terminal. */
const GAP = { drawn: ({ isTerminal }: Output) => (isTerminal ? '\n' : '') };

/** Shows the counts of everything, and then each list. */
export async function runState(context: Context<LimitOptions>): Promise<Result> {
  const state = await control(context, 'GET state');
  const [counts, ...lists] = stateTables(state).filter(({ rows }) => rows.length > 0);
  const latest = lists.flatMap((table) => [
    GAP,
    { ...table, rows: table.rows.slice(-shownLimit(context)) },
  ]);
  const shown = counts && [counts, ...latest];
  const notes = lists.flatMap(({ rows }) => moreText(context, rows.length));
  return { json: state, show: shown, notes };
}
