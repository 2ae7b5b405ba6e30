import { GRADE_COLUMNS } from '../../validator/grades.ts';
import type { Runtime } from '../runtime.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { countText, timeText } from '../output/units.ts';

/** A longer line is not a header. */
const MOST_BYTES = 65_536;

/**
 * Values of --map for the grade file on the command line: each unknown column of the file, with
 * each name that the file lacks.
 */
export async function completedColumns(
  runtime: Runtime,
  verb: string,
  words: readonly string[],
): Promise<string[]> {
  const file = verb === 'grades' ? words.findLast((word) => !word.startsWith('-')) : fromOf(words);
  if (file === undefined) return [];
  const header = await headerOf(runtime, file);
  const known: readonly string[] = GRADE_COLUMNS;
  const unknown = header.filter((name) => name !== '' && !known.includes(name));
  const free = known.filter((name) => !header.includes(name));
  return unknown.flatMap((name) => free.map((column) => `${name}=${column}`));
}

function fromOf(words: readonly string[]): string | undefined {
  const at = words.lastIndexOf('--from');
  const joined = words.findLast((word) => word.startsWith('--from='))?.slice('--from='.length);
  return at === -1 ? joined : words[at + 1];
}

/** The names in the first line of a CSV file; none if it cannot be read. */
async function headerOf(runtime: Runtime, path: string): Promise<string[]> {
  const disk = await runtime.disk();
  const facts = await disk.pathInfo(path, { followLinks: true });
  if (facts?.kind !== 'file') return [];
  const file = await disk.openFile(path, facts);
  try {
    let text = '';
    for await (const chunk of file.chunks()) {
      text += Buffer.from(chunk).toString();
      if (text.includes('\n') || text.length > MOST_BYTES) break;
    }
    const [line = ''] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
    return line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  } finally {
    await file.close();
  }
}

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
