import type { Command } from 'commander';
import { savedName } from '../../launch/saved.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { note, printJson } from '../../ui.ts';

export function registerRemove(parent: Command, runtime: Runtime): void {
  parent
    .command('rm')
    .summary('forget a saved launch')
    .description('Forget a saved launch and its token. The token itself goes on living.')
    .argument('<name>', 'a saved launch')
    .action(async (name: string, _options, command: Command) => {
      await runRemove(runtime, command.optsWithGlobals(), name);
    });
}

async function runRemove(runtime: Runtime, options: GlobalOptions, given: string): Promise<void> {
  const name = await savedName(runtime, given);
  await (await runtime.launches()).remove(name);
  await (await runtime.sightings()).forget(name);
  const settings = await runtime.settings();
  const wasCurrent = settings.get('currentLaunch') === name;
  if (wasCurrent) await settings.set('currentLaunch', undefined);
  if (options.json) {
    await printJson(runtime, { removed: name });
    return;
  }
  await note(runtime, options, `${name} is forgotten${wasCurrent ? '; none is in use now' : ''}`);
}
