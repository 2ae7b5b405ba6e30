import { summariseAll } from './summary.ts';
import { launchTable } from '../output/launch.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';

export async function runList(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const launches = await summariseAll(runtime, options);
  if (options.json) await printJson(runtime, launches);
  else if (launches.length > 0) await printTable(runtime, launchTable(launches, runtime.now()));
  else await note(runtime, options, 'no launch is saved; lectern launch save NAME FILE keeps one');
}
