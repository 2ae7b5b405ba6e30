import { UsageError } from '../../errors.ts';
import { workerJson, whoText } from '../output/grade-run.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import type { Prints } from '../output/all-forms.ts';
import { findRun } from './bulk/find-run.ts';

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
