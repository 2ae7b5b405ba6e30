import type { GlobalOptions, Runtime } from '../runtime.ts';
import { printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runFixture(runtime: Runtime, options: GlobalOptions): Promise<void> {
  await printJson(runtime, await control(runtime, options, 'POST fixture'));
}
