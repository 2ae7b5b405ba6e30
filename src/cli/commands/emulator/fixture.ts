import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerFixture(parent: Command, runtime: Runtime): void {
  parent
    .command('fixture')
    .summary('launches of every kind for a conformance client')
    .description(
      'Mint launches of every kind in courses and tools of their own, and print them as one JSON object with the hooks that move the emulator. Each call makes new ones.',
    )
    .action(async (_options, command: Command) => {
      const { runFixture } = await import('../../emulator/fixture.ts');
      await runFixture(runtime, command.optsWithGlobals());
    });
}
