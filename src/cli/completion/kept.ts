import type { Ledger } from '../../ledger/ledger.ts';
import { countText, timeText } from '../output/units.ts';
import type { Runtime } from '../runtime.ts';
import type { Candidate } from './candidate.ts';

/** As many as a reader would look through. */
const MOST = 50;

/** The runs of the local ledger, the newest first; a server is not asked for a completion. */
export async function keptRuns(runtime: Runtime): Promise<Candidate[]> {
  const shared = runtime.env.LECTERN_LEDGER || (await runtime.settings()).get('currentLedger');
  if (shared) return [];
  const runs = (await ledgerIfAny(runtime))?.runs() ?? [];
  return (await runs).slice(0, MOST).map(({ id, time, source, summary }) => ({
    word: String(id),
    summary: `${timeText(time)}, ${source}, ${countText(summary.rows, 'row')}`,
  }));
}

/** The before-images, the newest first. */
export async function keptImages(runtime: Runtime): Promise<Candidate[]> {
  const images = (await ledgerIfAny(runtime))?.images({ limit: MOST }) ?? [];
  return (await images).map(({ id, time, row, command }) => ({
    word: String(id),
    summary: `${timeText(time)}, ${row}, ${command}`,
  }));
}

/** Completion makes no ledger where there is none. */
async function ledgerIfAny(runtime: Runtime): Promise<Ledger | undefined> {
  const { ledger } = await runtime.home();
  return (await (await runtime.disk()).exists(ledger)) ? runtime.ledger() : undefined;
}
