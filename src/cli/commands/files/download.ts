import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addConcurrency, FILES_ARGUMENT } from './flags.ts';

export function registerDownload(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('download')
    .summary('download files')
    .description(
      'Download files: each whole or not at all. One file goes to standard output where that is a pipe, else into the current folder.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key...]', 'the keys of the files')
    .option('--all', 'every file of the row')
    .option('--to <folder>', 'the folder to put them in, under their keys')
    .option('-o, --output <file>', 'the file to write one to; - is standard output')
    .option('--overwrite', 'replace files that exist');
  addConcurrency(command).action(async (row, keys, _options, called: Command) => {
    const { runDownload } = await import('../../files/download.ts');
    await runDownload(runtime, called.optsWithGlobals(), [row, ...keys]);
  });
}
