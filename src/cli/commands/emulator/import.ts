import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerImport(parent: Command, runtime: Runtime): void {
  parent
    .command('import')
    .summary('everything from one file')
    .description(
      'Put what an export holds in the place of everything. A file that is damaged is refused whole.',
    )
    .argument('<file>', 'a file that export wrote')
    .action(async (file, _options, command: Command) => {
      const { runImport } = await import('../../emulator/import.ts');
      await runImport(runtime, command.optsWithGlobals(), file);
    });
}
