import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerExport(parent: Command, runtime: Runtime): void {
  parent
    .command('export')
    .summary('everything in one file')
    .description(
      'Write everything that the emulator keeps to one file, the bytes of the files among it. The file is whole or not there.',
    )
    .argument(
      '<file>',
      'the file to write, or - for standard output; one that is there is replaced',
    )
    .action(async (file, _options, command: Command) => {
      const { runExport } = await import('../../emulator/export.ts');
      await runExport(runtime, command.optsWithGlobals(), file);
    });
}
