import { lmsTable } from '../output/emulator.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';
import { control } from './control.ts';

export interface LmsOptions extends GlobalOptions {
  readonly location?: string;
  readonly status?: number;
  readonly body?: string;
}

export async function runLms(runtime: Runtime, options: LmsOptions, change: object): Promise<void> {
  const { location } = options;
  const shown = await control(runtime, options, 'POST lms', { ...change, location });
  if (options.json) await printJson(runtime, shown);
  else await printTable(runtime, lmsTable(shown.lms));
}
