import { InvalidError, UsageError } from '../../errors.ts';
import { LedgerError } from '../../ledger/error.ts';
import { readRunFile } from '../../grades/run-file.ts';
import { unlessClaimed } from '../../grades/run.ts';
import { readInput } from '../input/read.ts';
import type { GradeLedger, MovedRun, RunClaim } from '../../ledger/ledger.ts';
import { movedText, movedTo } from '../../grades/run-target.ts';
import { settleCommand } from '../output/grade-run.ts';
import { countText } from '../output/units.ts';
import type { Printed } from '../output/all-forms.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { gradeLedger, requireServer } from '../session/ledger.ts';

type Imported = Result<Printed<'ledger import'>>;

/** Imports the file of a run, or without one this machine's ledger into the shared one. */
export function runImport(context: Context, file?: string): Promise<Imported> {
  return file === undefined ? importLocal(context) : importFile(context, file);
}

/** More than a run of a million grades. */
const MAX_BYTES = 2 ** 30;

async function importFile(context: Context, file: string): Promise<Imported> {
  const { shared } = await gradeLedger(context);
  if (shared) {
    throw new UsageError(
      'a run is imported into the ledger of this machine, and a shared one is in use',
      'pass --ledger local; then copy it with: lectern ledger import --ledger NAME',
    );
  }
  const { bytes, source } = await readInput(context, file, 'a run', MAX_BYTES);
  const filed = readRunFile(bytes, source);
  const ledger = await context.ledger();
  const imported = await unlessClaimed(() => ledger.importRun(filed));
  const { run, isNew, attempts, settled } = imported;
  const answers = settled > 0 ? ` and ${countText(settled, 'answer')}` : '';
  const what = `${countText(attempts, 'attempt')}${answers}`;
  return {
    json: { ledger: null, attempts, runs: [{ local: filed.run.id, run }], settled },
    notes: [
      isNew || attempts + settled > 0
        ? `imported ${source} into run ${run}: ${what}`
        : `nothing is left to import: run ${run} has all of ${source}`,
      ...(await nextSteps(ledger, run)),
    ],
  };
}

/** The commands for what a run has left, unless it was moved again since the file was written. */
async function nextSteps(ledger: GradeLedger, id: number): Promise<string[]> {
  const run = await ledger.run(id);
  const moved = run && movedText(run);
  if (moved !== undefined) return [`run ${id} ${moved}, and is continued there`];
  const summary = run?.summary;
  return [
    ...(summary?.notSent ? [`continue it with: lectern grade resume ${id}`] : []),
    ...(summary?.inDoubt ? [`settle what is in doubt with: ${settleCommand(id)}`] : []),
  ];
}

/** Copies the attempts and runs of this machine's ledger that the shared one lacks into it. */
async function importLocal(context: Context): Promise<Imported> {
  const server = await requireServer(context);
  const local = await context.ledger();
  const { place } = server;
  const held: RunClaim[] = [];
  try {
    const all = await local.runs();
    const open = all.filter(({ summary }) => summary.notSent + summary.inDoubt > 0);
    // No other process may send them meanwhile, or wait for their answers.
    for (const { id } of open) held.push(await local.claimRun(id, context.pid));
    const leaving = open.filter((run) => !movedTo(run));
    const mark = async (moved: MovedRun | undefined): Promise<void> => {
      for (const { id } of leaving) await local.setMoved(id, moved);
    };
    // They are sent from there: from both ledgers, their grades would be sent twice. Before the commit,
    // since its answer may be lost.
    const beforeCommit = () => mark({ file: place, time: context.now() });
    const importing = server.importFrom(local, { runs: all, beforeCommit });
    const { attempts, renumbered, settled } = await importing.catch(async (error: unknown) => {
      const mayBeThere = error instanceof LedgerError && error.fault === 'unreachable';
      if (!mayBeThere) await mark(undefined);
      throw error;
    });
    const runs = [...renumbered].map(([from, to]) => ({ local: from, run: to }));
    const what = `${countText(attempts, 'attempt')} and ${countText(runs.length, 'run')}`;
    const later = `settled ${countText(settled, 'attempt')} that had no answer at an earlier import`;
    const notes = [
      ...(settled > 0 ? [later] : []),
      ...(attempts + runs.length > 0 ? [`imported ${what} into ${place}`] : []),
      ...(attempts + runs.length + settled === 0
        ? [`nothing is left to import into ${place}`]
        : []),
      ...(runs.length > 0 ? [RESUME_THERE] : []),
    ];
    return { json: { ledger: place, attempts, runs, settled }, notes };
  } catch (error) {
    const isRefused = error instanceof LedgerError && /^(refused|claimed)$/.test(error.fault);
    if (!isRefused) throw error;
    throw new InvalidError(error.message, { code: 'ledger.import' });
  } finally {
    for (const claim of held) await claim.release();
  }
}

const RESUME_THERE = 'resume them there: what they have left is not sent from this ledger';
