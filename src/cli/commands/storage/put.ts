import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addWriteFlags, ROW_ARGUMENT } from './flags.ts';

export function registerPut(parent: Command, runtime: Runtime): void {
  const put = parent
    .command('put')
    .summary('replace a row')
    .description(
      'Replace the whole row with a JSON object, sent byte for byte. Shows which keys would go, and asks.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[file]', 'the new row; - or nothing for standard input');
  addWriteFlags(put).action(async (row, file, _options, command: Command) => {
    const { runPut } = await import('../../storage/put.ts');
    await runPut(runtime, command.optsWithGlobals(), [row, file]);
  });
}
