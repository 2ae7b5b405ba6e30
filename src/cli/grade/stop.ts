import { UsageError } from '../../errors.ts';
import { workerJson, whoText } from '../output/grade-run.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { note } from '../output/notes.ts';
import { printJson } from '../output/print.ts';
import { findRun } from './bulk/find-run.ts';

export async function runStop(context: Context, id?: string): Promise<void> {
  const { shared } = await gradeLedger(context);
  if (!shared) {
    throw new UsageError(
      'the ledger of this machine has one process for a run',
      'stop it with Ctrl-C there; for several machines use a shared ledger: --ledger',
    );
  }
  const run = await findRun(context, id);
  const workers = await shared.stopRun(run.id);
  if (context.options.json) {
    await printJson<'grade stop'>(context, { run: run.id, workers: workers.map(workerJson) });
  } else if (workers.length === 0) await note(context, `run ${run.id} has no workers now`);
  else await note(context, `run ${run.id} stops: ${whoText(workers)}`);
}
