import { UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { note } from '../ui.ts';
import { findRun } from './bulk/find-run.ts';
import { runAndReport } from './bulk/run.ts';
import type { GradePaceOptions } from './flags.ts';
import { credentialOfRun } from './target.ts';

/** Joins a run of a shared ledger, until all its grades are sent. */
export async function runWork(context: Context<GradePaceOptions>, id: string): Promise<void> {
  const { shared } = await gradeLedger(context);
  if (!shared) {
    throw new UsageError(
      'the ledger of this machine has one process for a run',
      `use lectern grade resume ${/^\d{1,15}$/.test(id) ? id : 'RUN'}; for several machines use a shared ledger: --ledger`,
    );
  }
  const run = await findRun(context, id);
  // The credential names of its planner are meaningless here.
  const credential = await credentialOfRun(context, { ...run, options: {} }, 'work');
  const { rate } = context.options;
  const planned = run.options.rate;
  if (rate !== undefined && typeof planned === 'number' && rate > planned) {
    await note(
      context,
      `the run was planned with at most ${planned}/s, which applies to all workers`,
    );
  }
  await runAndReport(context, run, credential, {
    states: ['not_sent'],
    join: true,
    isWorker: true,
  });
}
