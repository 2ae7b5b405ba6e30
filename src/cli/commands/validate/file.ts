import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addKind, addReportFlags } from './flags.ts';

export function registerFile(parent: Command, runtime: Runtime): void {
  const file = parent
    .command('file')
    .summary('files to upload')
    .description(
      'Check files before they are uploaded: the key (the base name, or --key) and the size; with --with and --kind also the count and the total size that their row would reach. From standard input it takes the JSON body of a declaration.',
    )
    .argument('[path...]', 'files, folders with files, or - for a declaration on standard input')
    .option('--key <key>', 'the key of the file, instead of its base name')
    .option('--with <listing>', "the row's listing, of: lectern files ls ROW --json");
  addReportFlags(addKind(file)).action(async (paths, _options, command: Command) => {
    const { runFile } = await import('../../validate/file.ts');
    await runFile(runtime, command.optsWithGlobals(), paths);
  });
}
