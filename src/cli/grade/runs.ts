import { withAnsweredTarget } from '../../grades/run-target.ts';
import type { RunRecord } from '../../ledger/ledger.ts';
import { doubtHint, runsJson, runsTable } from '../output/grade-run.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import { noteMore, shownLimit, note } from '../output/notes.ts';
import { printJson, printTable } from '../output/print.ts';

export async function runRuns(context: Context<LimitOptions>): Promise<void> {
  const ledger = await gradeLedger(context);
  const all = await ledger.runs(context.options.limit);
  const runs: RunRecord[] = [];
  for (const run of all.slice(0, shownLimit(context))) {
    runs.push(await withAnsweredTarget(ledger, run));
  }
  const workers = await ledger.shared?.workers();
  if (context.options.json)
    await printJson<'grade runs'>(
      context,
      runs.map((run) => runsJson(run, workers)),
    );
  else if (runs.length > 0) await printTable(context, runsTable(runs, context.now(), workers));
  else await note(context, 'no runs; create one with: lectern grade submit --from FILE');
  await noteMore(context, all.length);
  const hint = context.options.json ? undefined : doubtHint(runs);
  if (hint !== undefined) await note(context, hint);
}
