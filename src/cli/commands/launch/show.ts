import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerShow(parent: Command, runtime: Runtime): void {
  parent
    .command('show')
    .summary('one saved launch')
    .description(
      'Show a saved launch, without its secrets: the one in use unless another is named.',
    )
    .argument('[name]', 'a saved launch')
    .action(async (name, _options, command: Command) => {
      const { runShow } = await import('../../launch/show.ts');
      await runShow(runtime, command.optsWithGlobals(), name);
    });
}
