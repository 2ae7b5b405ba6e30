import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerSave(parent: Command, runtime: Runtime): void {
  parent
    .command('save')
    .summary('keep a launch by name')
    .description(
      'Keep a launch or provision request by name, in a file that only you can read. Takes all that decode takes. On a terminal it asks for what is missing.',
    )
    .argument('[name]', 'the name to keep it under')
    .argument('[file]', 'the launch; - or nothing is standard input')
    .option('--force', 'replace the launch that has the name')
    .action(async (name, file, _options, command: Command) => {
      const { runSave } = await import('../../launch/save.ts');
      await runSave(runtime, command.optsWithGlobals(), name, file);
    });
}
