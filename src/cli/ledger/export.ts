import { refuseMoved, unlessClaimed } from '../../grades/run.ts';
import { UsageError } from '../../errors.ts';
import { runFile } from '../../grades/run-file.ts';
import { movedTo } from '../../grades/run-target.ts';
import { movesOf } from '../../ledger/run-ledger.ts';
import { findRun } from '../grade/bulk/find-run.ts';
import { countText } from '../output/units.ts';
import type { Prints } from '../output/all-forms.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger } from '../session/ledger.ts';
import { outputPlace, writeOutput } from '../shared/write-output.ts';
import type { LedgerExportOptions } from './flags.ts';

/** Writes a run to a file, and marks it as moved: two machines must not send it. */
export async function runExport(
  context: Context<LedgerExportOptions>,
  id: string,
  file: string,
): Prints<'ledger export'> {
  const { shared } = await gradeLedger(context);
  if (shared) {
    throw new UsageError(
      'a run of a shared ledger is not moved: every machine with the ledger can send it',
      `continue it there with: lectern grade resume ${id}, or move a run of this machine with --ledger local`,
    );
  }
  const { id: number } = await findRun(context, id);
  const ledger = await context.ledger();
  await outputPlace(context, file);
  const claim = await unlessClaimed(() => ledger.claimRun(number, context.pid));
  try {
    const run = await findRun(context, id);
    if (!context.options.again) refuseMoved(run);
    const before = movedTo(run);
    const moved = { file: (await context.disk()).absolute(file), time: context.now() };
    // A second file of the same move.
    const moves = movesOf(run) + (before === undefined ? 1 : 0);
    // First, so that a machine that dies meanwhile does not leave two that may send it.
    await ledger.setMoved(run.id, moved, moves);
    try {
      const leaving = { ...run, options: { ...run.options, moves } };
      const bytes = await writeOutput(context, file, runFile(ledger, leaving), { secret: true });
      const { rows } = run.summary;
      const time = new Date(moved.time).toISOString();
      const what = `run ${run.id} with ${countText(rows, 'grade')}`;
      return {
        json: { run: run.id, file: moved.file, rows, bytes, moved: time },
        notes: [`moved ${what} to ${file}; on the other machine: lectern ledger import ${file}`],
      };
    } catch (error) {
      await ledger.setMoved(run.id, before, movesOf(run));
      throw error;
    }
  } finally {
    await claim.release();
  }
}
