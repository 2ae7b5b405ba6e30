import { lmsTable } from '../output/emulator.ts';
import type { GlobalOptions, Context } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';
import { control } from './control.ts';

export interface LmsOptions extends GlobalOptions {
  readonly location?: string;
  readonly status?: number;
  readonly body?: string;
  readonly member?: readonly string[];
  readonly percent?: number;
  readonly times?: number;
}

export async function runLms(context: Context<LmsOptions>, change: object): Promise<void> {
  const { options } = context;
  const { location } = options;
  const shown = await control(context, 'POST lms', { ...change, location });
  if (options.json) await printJson(context, shown);
  else await printTable(context, lmsTable(shown.lms));
}
