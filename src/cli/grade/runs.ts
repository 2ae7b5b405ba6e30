import { runsJson, runsTable } from '../output/grade-runs.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';

export async function runRuns(context: Context): Promise<void> {
  const runs = await (await context.ledger()).runs();
  if (context.options.json) await printJson(context, runs.map(runsJson));
  else if (runs.length > 0) await printTable(context, runsTable(runs, context.now()));
  else await note(context, 'no runs; create one with: lectern grade submit --from FILE');
}
