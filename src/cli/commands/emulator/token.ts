import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';

export function registerToken(parent: Command, runtime: Runtime): void {
  group(parent, 'token', 'the tokens of launches')
    .command('end')
    .summary('end the token of a launch')
    .description('End the token of a saved launch, or of one in a file, at once and for good.')
    .argument('<name>', 'a saved launch, or a file')
    .action(async (name, _options, command: Command) => {
      const { runEnd } = await import('../../emulator/token.ts');
      await runEnd(runtime, command.optsWithGlobals(), name);
    });
}
