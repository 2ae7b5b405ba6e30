import { UsageError } from '../../errors.ts';
import { withAnsweredTarget } from '../../grades/run-target.ts';
import type { RunRecord } from '../../ledger/ledger.ts';
import { doubtHint, runsJson, runsTable, whoText, workerJson } from '../output/grade-run.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import type { Prints } from '../output/all-forms.ts';
import { moreText, shownLimit } from '../output/notes.ts';
import { findRun } from './bulk/find-run.ts';

export async function runRuns(context: Context<LimitOptions>): Prints<'grade runs'> {
  const ledger = await gradeLedger(context);
  const all = await ledger.runs(context.options.limit);
  const runs: RunRecord[] = [];
  for (const run of all.slice(0, shownLimit(context))) {
    runs.push(await withAnsweredTarget(ledger, run));
  }
  const workers = await ledger.shared?.workers();
  return {
    json: runs.map((run) => runsJson(run, workers)),
    show: runs.length > 0 ? runsTable(runs, context.now(), workers) : [],
    notes: [
      runs.length > 0 ? undefined : 'no runs; create one with: lectern grade submit --from FILE',
      ...moreText(context, all.length),
      doubtHint(runs),
    ],
  };
}

/** Lets all workers of a run stop. */
export async function runStop(context: Context, id?: string): Prints<'grade stop'> {
  const { shared } = await gradeLedger(context);
  if (!shared) {
    throw new UsageError(
      'the ledger of this machine has one process for a run',
      'stop it with Ctrl-C there; for several machines use a shared ledger: --ledger',
    );
  }
  const run = await findRun(context, id);
  const workers = await shared.stopRun(run.id);
  return {
    json: { run: run.id, workers: workers.map(workerJson) },
    notes: [
      workers.length === 0
        ? `run ${run.id} has no workers now`
        : `run ${run.id} stops: ${whoText(workers)}`,
    ],
  };
}
