import { runsJson, runsTable } from '../output/grade-runs.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson, printTable } from '../ui.ts';

export async function runRuns(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const runs = await (await runtime.ledger()).runs();
  if (options.json) await printJson(runtime, runs.map(runsJson));
  else if (runs.length > 0) await printTable(runtime, runsTable(runs));
  else await note(runtime, options, 'there is no run; lectern grade submit --from FILE makes one');
}
