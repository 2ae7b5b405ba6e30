import { summariseAll } from './summary.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import { launchTable } from '../output/launch.ts';
import type { Context } from '../runtime.ts';
import { newestSaved, noteMore, note, printJson, printTable } from '../ui.ts';

export async function runList(context: Context<LimitOptions>): Promise<void> {
  const all = await summariseAll(context);
  const launches = newestSaved(context, all);
  if (context.options.json) await printJson<'launch list'>(context, launches);
  else if (launches.length > 0) await printTable(context, launchTable(launches, context.now()));
  else await note(context, 'no saved launches; save one with: lectern launch save NAME FILE');
  await noteMore(context, all.length);
}
