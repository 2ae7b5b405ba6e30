import type { Ledger } from '../../ledger/ledger.ts';
import { countText, timeText } from '../output/units.ts';
import type { Runtime } from '../runtime.ts';

/** A completion and its description. */
export interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** More would not fit on a screen. */
const MOST = 50;

/** The runs of the local ledger, newest first; completion does not connect to a server. */
export async function keptRuns(runtime: Runtime): Promise<Candidate[]> {
  const shared = runtime.env.LECTERN_LEDGER || (await runtime.settings()).get('currentLedger');
  if (shared) return [];
  const runs = (await ledgerIfAny(runtime))?.runs() ?? [];
  return (await runs).slice(0, MOST).map(({ id, time, source, summary }) => ({
    word: String(id),
    summary: `${timeText(time)}, ${source}, ${countText(summary.rows, 'row')}`,
  }));
}

/** The before-images, newest first. */
export async function keptImages(runtime: Runtime): Promise<Candidate[]> {
  const images = (await ledgerIfAny(runtime))?.images({ limit: MOST }) ?? [];
  return (await images).map(({ id, time, row, command }) => ({
    word: String(id),
    summary: `${timeText(time)}, ${row}, ${command}`,
  }));
}

/** Completion does not create a ledger. */
async function ledgerIfAny(runtime: Runtime): Promise<Ledger | undefined> {
  const { ledger } = await runtime.home();
  return (await (await runtime.disk()).exists(ledger)) ? runtime.ledger() : undefined;
}
