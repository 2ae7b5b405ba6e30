import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addWriteFlags, ROW_ARGUMENT } from './flags.ts';

export function registerEdit(parent: Command, runtime: Runtime): void {
  const edit = parent
    .command('edit')
    .summary('edit a row in your editor')
    .description(
      'Open the row in $VISUAL or $EDITOR, show what changed, ask, and send the smallest patch. Stops where somebody else has changed the same.',
    )
    .argument('[row]', ROW_ARGUMENT);
  addWriteFlags(edit).action(async (row, _options, command: Command) => {
    const { runEdit } = await import('../../storage/edit.ts');
    await runEdit(runtime, command.optsWithGlobals(), row);
  });
}
