import type { Command } from 'commander';
import { control } from '../../emulator/control.ts';
import { stateTables } from '../../output/emulator.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { printJson, printTable } from '../../ui.ts';

export function registerState(parent: Command, runtime: Runtime): void {
  parent
    .command('state')
    .summary('everything that is kept')
    .description(
      'Show tools, courses, locations, members, rows, files, attempts and the gradebook, with their IDs.',
    )
    .action(async (_options, command: Command) => {
      await runState(runtime, command.optsWithGlobals());
    });
}

async function runState(runtime: Runtime, options: GlobalOptions): Promise<void> {
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
