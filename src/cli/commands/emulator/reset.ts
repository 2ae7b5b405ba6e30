import type { Command } from 'commander';
import { control } from '../../emulator/control.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { note, printJson } from '../../ui.ts';

export function registerReset(parent: Command, runtime: Runtime): void {
  parent
    .command('reset')
    .summary('forget everything')
    .description(
      'Forget all rows, files, attempts, tokens and changes, and plant the seed anew. Saved launches end.',
    )
    .action(async (_options, command: Command) => {
      await runReset(runtime, command.optsWithGlobals());
    });
}

async function runReset(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const done = await control(runtime, options, 'POST reset');
  if (options.json) await printJson(runtime, done);
  await note(runtime, options, 'the emulator is as new; launches that were saved have ended');
}
