import { refuseMoved } from '../../grades/run.ts';
import type { GradeLedger } from '../../ledger/ledger.ts';
import { UsageError } from '../../errors.ts';
import { Undo } from '../../grades/undo.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { planAndSend, selectionOptions } from './bulk.ts';
import { findRun, refuseSending } from './bulk/find-run.ts';
import { readingOptions } from './bulk/options.ts';
import type { GradeUndoOptions } from './flags.ts';
import { credentialOfRun } from './target.ts';

/** Takes a run back: the grades that were recorded before it are a run of their own. */
export async function runUndo(context: Context<GradeUndoOptions>, id?: string): Promise<Result> {
  const { options } = context;
  const ledger = await gradeLedger(context);
  const run = await findRun(context, id ?? (await lastToUndo(ledger)));
  await refuseSending(ledger, run.id);
  if (!options.again) refuseMoved(run);
  const credential = await credentialOfRun(context, run, 'undo');
  const reading = await readingOptions(context, options);
  const undo = new Undo(ledger, run, reading.only);
  const { launch = run.options.launch, apiKey = run.options.apiKey } = options;
  const { concurrency, rate, again, includeSuperseded } = options;
  const { staff, imported } = run.options;
  return planAndSend(context, {
    run: {
      target: run.target,
      credential: credential.kind,
      source: `undo of run ${run.id}`,
      options: { launch, apiKey, concurrency, rate, staff, imported, undoes: run.id },
    },
    credential,
    planning: {
      ...reading,
      ...selectionOptions(options),
      undone: { run, isUndone: true, again, includeSuperseded },
    },
    chunks: () => undo.chunks(),
    undone: { run: run.id, withoutEarlier: undo.withoutEarlier },
  });
}

/** The newest run that undoes none: a second undo would bring back what the first one took back. */
async function lastToUndo(ledger: GradeLedger): Promise<string | undefined> {
  const runs = await ledger.runs();
  const [newest] = runs;
  const { undoes } = newest?.options ?? {};
  if (undoes !== undefined && newest && newest.summary.notSent > 0) {
    throw new UsageError(
      `run ${newest.id}, which undoes run ${undoes}, is not finished`,
      `continue it with: lectern grade resume ${newest.id}; or name the run to be undone`,
    );
  }
  return runs.find(({ options }) => options.undoes === undefined)?.id.toString();
}
