import type { Context } from '../runtime.ts';
import { printJson, printText } from '../ui.ts';
import { control } from './control.ts';

export async function runClock(
  context: Context,
  move?: { advance_seconds: number } | { set: string },
): Promise<void> {
  const shown = await (move === undefined
    ? control(context, 'GET clock')
    : control(context, 'POST clock', move));
  if (context.options.json) await printJson(context, shown);
  else await printText(context, shown.iso);
}
