import type { Command } from 'commander';
import { control } from '../../emulator/control.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { printJson } from '../../ui.ts';

export function registerFixture(parent: Command, runtime: Runtime): void {
  parent
    .command('fixture')
    .summary('launches of every kind for a conformance client')
    .description(
      'Mint launches of every kind in courses and tools of their own, and print them as one JSON object with the hooks that move the emulator. Each call makes new ones.',
    )
    .action(async (_options, command: Command) => {
      await runFixture(runtime, command.optsWithGlobals());
    });
}

async function runFixture(runtime: Runtime, options: GlobalOptions): Promise<void> {
  await printJson(runtime, await control(runtime, options, 'POST fixture'));
}
