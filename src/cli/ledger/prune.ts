import { durationSeconds } from '../arguments/numbers.ts';
import { UsageError } from '../../errors.ts';
import { findRun } from '../grade/bulk/find-run.ts';
import { countText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { requireServer } from '../session/ledger.ts';
import { canPrompt, confirm } from '../ask.ts';
import { note } from '../output/notes.ts';
import { printJson } from '../output/print.ts';
import type { LedgerPruneOptions } from './flags.ts';

/** Removes old attempts and runs from a shared ledger. */
export async function runPrune(context: Context<LedgerPruneOptions>): Promise<void> {
  const { olderThan: given, run, dryRun = false, json } = context.options;
  const seconds = given === undefined ? undefined : durationSeconds(given);
  if (seconds === undefined) {
    const problem =
      given === undefined ? 'is missing' : `${JSON.stringify(given)} is not a duration`;
    throw new UsageError(`--older-than ${problem}`, 'use a duration such as 180d');
  }
  const server = await requireServer(context);
  const id = run === undefined ? undefined : (await findRun(context, run)).id;
  const choice = { olderThan: seconds * 1000, run: id };
  if (!dryRun && canPrompt(context)) {
    const { runs, attempts } = await server.prune({ ...choice, dryRun: true });
    const what = `${countText(attempts, 'attempt')} and ${countText(runs, 'run')}`;
    await confirm(context, `Remove ${what} from ${server.place}?`);
  }
  const pruned = await server.prune({ ...choice, dryRun });
  if (json) await printJson<'ledger prune'>(context, { dry_run: dryRun, ...pruned });
  else {
    const what = `${countText(pruned.attempts, 'attempt')} and ${countText(pruned.runs, 'run')}`;
    await note(context, dryRun ? `dry run: would remove ${what}` : `removed ${what}`);
  }
}
