import type { Command } from 'commander';
import { spanText } from '../../output/units.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { note, printJson, printTable } from '../../ui.ts';

export function registerList(parent: Command, runtime: Runtime): void {
  parent
    .command('list')
    .summary('the saved keys')
    .description('List the saved keys by name, with the origin of each. No part of a key is shown.')
    .action(async (_options, command: Command) => {
      await runList(runtime, command.optsWithGlobals());
    });
}

async function runList(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const keys = await (
    await runtime.keys()
  ).list((why) => void note(runtime, options, `passed over: ${why}`));
  if (options.json) await printJson(runtime, keys);
  else if (keys.length === 0) await note(runtime, options, 'no key is saved');
  else {
    await printTable(runtime, {
      columns: ['name', 'origin', 'saved'],
      rows: keys.map(({ name, origin, saved }) => [
        name,
        origin,
        `${spanText(runtime.now() - Date.parse(saved))} ago`,
      ]),
    });
  }
}
