import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { FILES_ARGUMENT } from './flags.ts';

export function registerStat(parent: Command, runtime: Runtime): void {
  parent
    .command('stat')
    .summary('show the record of one file')
    .description(
      'Show every field of a file. Its signed address lets anybody who has it read the file, so it is shown only on request.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key]', 'the key of the file')
    .option('--show-url', 'with the signed address')
    .action(async (row, key, _options, command: Command) => {
      const { runStat } = await import('../../files/stat.ts');
      await runStat(runtime, command.optsWithGlobals(), [row, key]);
    });
}
