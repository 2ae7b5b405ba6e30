import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addConcurrency, FILES_ARGUMENT } from './flags.ts';

export function registerUpload(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('upload')
    .summary('upload files')
    .description(
      'Upload files; a key that holds a file is replaced. What the row would refuse is refused before anything is sent, and each upload is checked afterwards.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[path...]', 'files and globs; - is standard input')
    .option('--key <key>', "the file's key; without it the base name")
    .option('--prefix <text>', 'put before each base name to make the key')
    .option('--mimetype <type>', 'the type; without it guessed from the name')
    .option('--filename <name>', 'the name that a download is saved as')
    .option('--attachment', 'downloads save the file rather than show it')
    .option('--follow-symlinks', 'upload what symbolic links point at')
    .option('--dry-run', 'show what would be declared, and send nothing');
  addConcurrency(command).action(async (row, paths, _options, called: Command) => {
    const { runUpload } = await import('../../files/upload.ts');
    await runUpload(runtime, called.optsWithGlobals(), [row, ...paths]);
  });
}
