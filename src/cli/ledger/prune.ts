import { durationSeconds } from '../arguments/numbers.ts';
import { UsageError } from '../../errors.ts';
import { findRun } from '../grade/bulk/find-run.ts';
import type { LedgerServer } from '../../ledger/postgres/server.ts';
import { countText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { requireServer } from '../session/ledger.ts';
import { confirm, note, printJson } from '../ui.ts';
import type { LedgerPruneOptions } from './flags.ts';

/** Removes old attempts and runs from a shared ledger. */
export async function runPrune(context: Context<LedgerPruneOptions>): Promise<void> {
  const { olderThan: given, run, dryRun = false, json, yes } = context.options;
  const seconds = given === undefined ? undefined : durationSeconds(given);
  if (seconds === undefined) {
    const problem =
      given === undefined ? 'is missing' : `${JSON.stringify(given)} is not a duration`;
    throw new UsageError(`--older-than ${problem}`, 'use a duration such as 180d');
  }
  const server = await requireServer(context);
  const id = run === undefined ? undefined : (await findRun(context, run)).id;
  const choice = { olderThan: seconds * 1000, run: id };
  if (!dryRun && !yes) {
    const old = await server.prune({ ...choice, dryRun: true });
    await confirm(context, `Remove ${prunedText(old)} from ${server.place}?`);
  }
  const pruned = await server.prune({ ...choice, dryRun });
  if (json) await printJson<'ledger prune'>(context, { dry_run: dryRun, ...pruned });
  const what = prunedText(pruned);
  await note(context, dryRun ? `dry run: would remove ${what}` : `removed ${what}`);
}

function prunedText({ attempts, runs }: Awaited<ReturnType<LedgerServer['prune']>>): string {
  return `${countText(attempts, 'attempt')} and ${countText(runs, 'run')}`;
}
