import type { GlobalOptions, Runtime } from '../runtime.ts';
import { printJson, printText } from '../ui.ts';
import { control } from './control.ts';

export async function runClock(
  runtime: Runtime,
  options: GlobalOptions,
  move?: { advance_seconds: number } | { set: string },
): Promise<void> {
  const shown = await (move === undefined
    ? control(runtime, options, 'GET clock')
    : control(runtime, options, 'POST clock', move));
  if (options.json) await printJson(runtime, shown);
  else await printText(runtime, shown.iso);
}
