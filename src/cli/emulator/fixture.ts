import type { Context } from '../runtime.ts';
import { printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runFixture(context: Context): Promise<void> {
  await printJson(context, await control(context, 'POST fixture'));
}
