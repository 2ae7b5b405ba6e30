import { UsageError } from '../../errors.ts';
import type { Called } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { hasNotes, note } from '../output/notes.ts';
import type { Result } from '../output/result.ts';
import { findRun } from './bulk/find-run.ts';
import { runAndReport } from './bulk/run.ts';
import { writeResume } from './bulk/show-plan.ts';
import { choosePages, planResume, resumedSelection } from '../../grades/resume-plan.ts';
import type { WORK_FLAGS } from './flags.ts';
import { credentialOfRun } from './target.ts';

/** Joins a run of a shared ledger, until all its grades are sent. */
export async function runWork(context: Called<typeof WORK_FLAGS>, id: string): Promise<Result> {
  const ledger = await gradeLedger(context);
  const { shared } = ledger;
  if (!shared) {
    throw new UsageError(
      'the ledger of this machine has one process for a run',
      `use lectern grade resume ${/^\d{1,15}$/.test(id) ? id : 'RUN'}; for several machines use a shared ledger: --ledger`,
    );
  }
  const run = await findRun(context, id);
  // The launch and the key that its planner named are those of another machine.
  const own = { ...run, options: { staff: run.options.staff } };
  const credential = await credentialOfRun(context, own, 'work');
  const { rate, again, includeSuperseded } = context.options;
  const planned = run.options.rate;
  if (rate !== undefined && typeof planned === 'number' && rate > planned) {
    await note(
      context,
      `the run was planned with at most ${planned}/s, which applies to all workers`,
    );
  }
  const states = ['not_sent'] as const;
  const resume = { again, includeSuperseded };
  if (hasNotes(context)) {
    const selection = resumedSelection(ledger, run, resume);
    const pages = choosePages(ledger.pages(run.id, { states }), selection);
    const plan = await planResume(ledger, run, pages, selection);
    const { sample, selected: attempts } = plan;
    const shown = { run, states, ledger: shared.place, credential: credential.kind, sample };
    await writeResume(context, { ...shown, attempts, plan });
  }
  return runAndReport(context, run, credential, { states, join: true, isWorker: true, resume });
}
