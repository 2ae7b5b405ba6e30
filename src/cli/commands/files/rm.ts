import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addConcurrency, FILES_ARGUMENT } from './flags.ts';

export function registerRm(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('rm')
    .summary('delete files')
    .description('Delete files and say which were there. A key that is absent is no error.')
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key...]', 'the keys of the files')
    .option('--all', 'every file of the row')
    .option('--dry-run', 'show what would be deleted, and delete nothing');
  addConcurrency(command).action(async (row, keys, _options, called: Command) => {
    const { runRm } = await import('../../files/rm.ts');
    await runRm(runtime, called.optsWithGlobals(), [row, ...keys]);
  });
}
