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
  return command.option('--concurrency <n>', 'files at once', wholeNumber({ from: 1, to: 32 }), 4);
}

function registerDownload(parent: Command, runtime: Runtime): void {
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
    .description('Delete files and say which were there. A key that is absent is no error.')
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key...]', 'the keys of the files')
    .option('--all', 'every file of the row')
    .option('--dry-run', 'show what would be deleted, and delete nothing');
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
      'Show every field of a file. Its signed address lets anybody who has it read the file, so it is shown only on request.',
    )
    .argument('[row]', FILES_ARGUMENT)
    .argument('[key]', 'the key of the file')
    .option('--show-url', 'with the signed address')
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
    .summary('make a folder and the files of a row the same')
    .description(
      'Make the second side like the first: DIR ROW uploads, ROW DIR downloads. Files are compared by size, then by date. A folder that is called like a row is written ./member.',
    )
    .argument('<from>', 'a folder, or a row')
    .argument('<to>', 'a row, or a folder')
    .option('--delete', 'delete what the first side does not have')
    .option(
      '--max-delete <n>',
      'do nothing at all where more than that would go',
      wholeNumber({ from: 0 }),
    )
    .option('--include <glob>', 'only these keys; may be repeated', collect, [])
    .option('--exclude <glob>', 'not these keys; may be repeated', collect, [])
    .option('--checksum', 'compare the contents of files of equal size, instead of dates')
    .option('--follow-symlinks', 'take what symbolic links point at')
    .option('--dry-run', 'show the plan, and change nothing');
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
  addConcurrency(command).action(
    verb(runtime, async (context, row, paths) => {
      const { runUpload } = await import('../files/upload.ts');
      await runUpload(context, [row, ...paths]);
    }),
  );
}
