import { stateTables } from '../output/emulator.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { printJson, printTable } from '../ui.ts';
import { control } from './control.ts';

export async function runState(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const state = await control(runtime, options, 'GET state');
  if (options.json) {
    await printJson(runtime, state);
    return;
  }
  const tables = stateTables(state);
  for (const [index, table] of tables.entries()) {
    if (index > 0 && runtime.stdout.isTerminal) await runtime.stdout.write('\n');
    await printTable(runtime, table);
  }
}
