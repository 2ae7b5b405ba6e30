import { InvalidError } from '../../errors.ts';
import { LedgerError } from '../../ledger/error.ts';
import type { RunClaim } from '../../ledger/ledger.ts';
import { countText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { requireServer } from '../session/ledger.ts';
import { note, printJson } from '../ui.ts';

/** Copies the attempts and runs of this machine's ledger into the shared one, once. */
export async function runImport(context: Context): Promise<void> {
  const server = await requireServer(context);
  const local = await context.ledger();
  const held: RunClaim[] = [];
  try {
    for (const { id, summary } of await local.runs()) {
      // No other process may send them meanwhile, or wait for their answers.
      if (summary.notSent + summary.inDoubt > 0) {
        held.push(await local.claimRun(id, context.pid));
      }
    }
    const { runs, attempts, renumbered, settled } = await server.importFrom(local);
    if (context.options.json) {
      const numbers = [...renumbered].map(([from, to]) => ({ local: from, run: to }));
      const { place: ledger } = server;
      await printJson<'ledger import'>(context, { ledger, attempts, runs: numbers, settled });
      return;
    }
    if (settled > 0) {
      const answers = countText(settled, 'attempt');
      return await note(context, `settled ${answers} whose answer came after the import`);
    }
    await note(
      context,
      `imported ${countText(attempts, 'attempt')} and ${countText(runs, 'run')} into ${server.place}`,
    );
    if (runs > 0) {
      await note(context, 'resume them there only: this machine still has its own copy');
    }
  } catch (error) {
    const isRefused = error instanceof LedgerError && /^(refused|claimed)$/.test(error.fault);
    if (!isRefused) throw error;
    throw new InvalidError(error.message, { code: 'ledger.import' });
  } finally {
    for (const claim of held) await claim.release();
  }
}
