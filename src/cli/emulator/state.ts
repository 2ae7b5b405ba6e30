import { stateTables } from '../output/emulator.ts';
import type { Context } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';
import { control } from './control.ts';

export async function runState(context: Context): Promise<void> {
  const state = await control(context, 'GET state');
  if (context.options.json) {
    await printJson(context, state);
    return;
  }
  const tables = stateTables(state);
  for (const [index, table] of tables.entries()) {
    if (index > 0 && context.stdout.isTerminal) await context.stdout.write('\n');
    await printTable(context, table);
  }
}
