import { runsJson, runsTable } from '../output/grade-runs.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { note, printJson, printTable } from '../ui.ts';

export async function runRuns(context: Context): Promise<void> {
  const ledger = await gradeLedger(context);
  const runs = await ledger.runs();
  const workers = await ledger.shared?.workers();
  if (context.options.json)
    await printJson(
      context,
      runs.map((run) => runsJson(run, workers)),
    );
  else if (runs.length > 0) await printTable(context, runsTable(runs, context.now(), workers));
  else await note(context, 'no runs; create one with: lectern grade submit --from FILE');
}
