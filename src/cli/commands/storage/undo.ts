import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addWriteFlags, ROW_ARGUMENT } from './flags.ts';

export function registerUndo(parent: Command, runtime: Runtime): void {
  const undo = parent
    .command('undo')
    .summary('bring a before-image back')
    .description(
      'Replace the row with a before-image: the newest that differs from it, or the one with ID. What is replaced is kept too, so that this can be undone.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[id]', 'of a before-image, as storage history lists it');
  addWriteFlags(undo).action(async (row, id, _options, command: Command) => {
    const { runUndo } = await import('../../storage/undo.ts');
    await runUndo(runtime, command.optsWithGlobals(), [row, id]);
  });
}
