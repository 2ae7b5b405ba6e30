import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerSave(parent: Command, runtime: Runtime): void {
  parent
    .command('save')
    .summary('keep a tool API key by name')
    .description(
      'Keep a tool API key by name. The key is read from standard input, or asked for on a terminal; it is never an argument, never shown, and sent to its origin only.',
    )
    .argument('<name>', 'the name to keep it under')
    .requiredOption('--origin <url>', 'the base address of the service that the key is for')
    .option('--force', 'replace the key that has the name')
    .action(async (name: string, _options, command: Command) => {
      const { runSave } = await import('../../key/save.ts');
      await runSave(runtime, command.optsWithGlobals(), name);
    });
}
