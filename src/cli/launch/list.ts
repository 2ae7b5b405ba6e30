import { summariseAll } from './summary.ts';
import { launchTable } from '../output/launch.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';

export async function runList(context: Context): Promise<void> {
  const launches = await summariseAll(context);
  if (context.options.json) await printJson<'launch list'>(context, launches);
  else if (launches.length > 0) await printTable(context, launchTable(launches, context.now()));
  else await note(context, 'no saved launches; save one with: lectern launch save NAME FILE');
}
