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
  const tables = stateTables(state).filter(({ rows }) => rows.length > 0);
  const shown = tables.flatMap((table, index) => {
    const latest = { ...table, rows: table.rows.slice(-shownLimit(context)) };
    return index === 0 ? [latest] : [GAP, latest];
  });
  const notes = tables.flatMap(({ rows }) => moreText(context, rows.length));
  return { json: state, show: shown, notes };
}
