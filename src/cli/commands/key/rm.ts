import type { Command } from 'commander';
import { UsageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { isName } from '../../names.ts';
import { note, printJson } from '../../ui.ts';

export function registerRemove(parent: Command, runtime: Runtime): void {
  parent
    .command('rm')
    .summary('forget a saved key')
    .description('Forget a saved key. The key itself stays valid: rotate it in the dashboard.')
    .argument('<name>', 'a saved key')
    .action(async (name: string, _options, command: Command) => {
      await runRemove(runtime, command.optsWithGlobals(), name);
    });
}

async function runRemove(runtime: Runtime, options: GlobalOptions, name: string): Promise<void> {
  const store = await runtime.keys();
  if (!isName(name) || !(await store.remove(name))) {
    // What was typed might be a key itself, so it is not repeated.
    throw new UsageError('no API key is saved under that name', nearest(name, await store.names()));
  }
  if (options.json) await printJson(runtime, { removed: name });
  else await note(runtime, options, `${name} is forgotten`);
}
