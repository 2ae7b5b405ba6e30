import { type Command, Option } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { FILES_ARGUMENT } from './flags.ts';

export function registerLs(parent: Command, runtime: Runtime): void {
  parent
    .command('ls')
    .summary('list the files of a row')
    .description(
      'List the files of a row with their sizes and dates, and what they take of its quota.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .addOption(
      new Option(
        '--sort <by>',
        'name (default), size or date, the smallest or oldest first',
      ).choices(['name', 'size', 'date']),
    )
    .option('--reverse', 'the other way round')
    .action(async (row: string | undefined, _options, command: Command) => {
      const { runLs } = await import('../../files/ls.ts');
      await runLs(runtime, command.optsWithGlobals(), row);
    });
}
