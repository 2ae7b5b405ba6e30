import { Option, type Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';
import { wholeNumber } from '../arguments/numbers.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const files = group(program, 'files', summary);
  registerLs(files, runtime);
  registerStat(files, runtime);
  registerUpload(files, runtime);
  registerDownload(files, runtime);
  registerRm(files, runtime);
  registerSync(files, runtime);
}

/** How help explains ROW. */
const FILES_ARGUMENT = 'context, location, member, member_location or a files URL';

/** `--concurrency N`, for commands that work on many files. */
function addConcurrency(command: Command): Command {
  return command.option(
    '--concurrency <n>',
    'maximum parallel transfers',
    wholeNumber({ from: 1, to: 32 }),
    4,
  );
}

function registerDownload(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('download')
    .summary('download files')
    .description(
      'Download files; a partial file is never left behind. A single file is written to standard output if that is a pipe, otherwise to the current folder.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key...]', 'file keys')
    .option('--all', 'all files of the row')
    .option('--to <folder>', 'folder to write to; files are named by their keys')
    .option('-o, --output <file>', 'file to write a single file to; - for standard output')
    .option('--overwrite', 'replace existing files');
  addConcurrency(command).action(
    verb(runtime, async (context, row, keys) => {
      const { runDownload } = await import('../files/download.ts');
      await runDownload(context, [row, ...keys]);
    }),
  );
}

function registerLs(parent: Command, runtime: Runtime): void {
  parent
    .command('ls')
    .summary('list the files of a row')
    .description('List the files of a row with size and date, and how much of the quota they use.')
    .argument('[row]', FILES_ARGUMENT)
    .addOption(
      new Option('--sort <by>', 'sort by name (default), size or date, ascending').choices([
        'name',
        'size',
        'date',
      ]),
    )
    .option('--reverse', 'reverse the order')
    .action(
      verb(runtime, async (context, row: string | undefined) => {
        const { runLs } = await import('../files/ls.ts');
        await runLs(context, row);
      }),
    );
}

function registerRm(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('rm')
    .summary('delete files')
    .description('Delete files. A missing key is not an error.')
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key...]', 'file keys')
    .option('--all', 'all files of the row')
    .option('--dry-run', 'show what would be deleted without deleting it');
  addConcurrency(command).action(
    verb(runtime, async (context, row, keys) => {
      const { runRm } = await import('../files/rm.ts');
      await runRm(context, [row, ...keys]);
    }),
  );
}

function registerStat(parent: Command, runtime: Runtime): void {
  parent
    .command('stat')
    .summary('show the record of one file')
    .description(
      'Show all fields of a file. The signed download URL lets anyone read the file and is shown only with --show-url.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key]', 'the file key')
    .option('--show-url', 'include the signed download URL')
    .action(
      verb(runtime, async (context, row, key) => {
        const { runStat } = await import('../files/stat.ts');
        await runStat(context, [row, key]);
      }),
    );
}

function registerSync(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('sync')
    .summary('synchronize a folder and the files of a row')
    .description(
      'Make the destination match the source: DIR ROW uploads, ROW DIR downloads. Files are compared by size, then by date. For a folder named like a row, write ./member.',
    )
    .argument('<from>', 'a folder, or a row')
    .argument('<to>', 'a row, or a folder')
    .option('--delete', 'delete files that the source does not have')
    .option(
      '--max-delete <n>',
      'change nothing if more files than this would be deleted',
      wholeNumber({ from: 0 }),
    )
    .option('--include <glob>', 'include only matching keys (repeatable)', collect, [])
    .option('--exclude <glob>', 'exclude matching keys (repeatable)', collect, [])
    .option('--checksum', 'compare files of equal size by content instead of date')
    .option('--follow-symlinks', 'follow symbolic links')
    .option('--dry-run', 'show the plan without changing anything');
  addConcurrency(command).action(
    verb(runtime, async (context, from: string, to: string) => {
      const { runSync } = await import('../files/sync.ts');
      await runSync(context, from, to);
    }),
  );
}

function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

function registerUpload(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('upload')
    .summary('upload files')
    .description(
      'Upload files, replacing files with the same key. Limits are checked before anything is sent, and each upload is verified afterwards.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[path...]', 'files and globs; - for standard input')
    .option('--key <key>', 'file key (default: the base name)')
    .option('--prefix <text>', 'prefix of each key, before the base name')
    .option('--mimetype <type>', 'media type (default: guessed from the name)')
    .option('--filename <name>', 'file name of downloads (default: the key)')
    .option('--attachment', 'browsers save the file instead of showing it')
    .option('--follow-symlinks', 'follow symbolic links')
    .option('--dry-run', 'show the declarations without sending them');
  addConcurrency(command).action(
    verb(runtime, async (context, row, paths) => {
      const { runUpload } = await import('../files/upload.ts');
      await runUpload(context, [row, ...paths]);
    }),
  );
}
