import type { TableColumn, ShownCell, TableView } from './draw-table.ts';
import { escapeText } from '../../contract/escape.ts';
import { type Tone, stateText, toneOf } from './paint.ts';
import { bytesText, exactTime, shortTime } from './units.ts';

/**
 * A table as data, of a list or of the facts of one thing: what a terminal shows aligned, and a pipe
 * gets as tab-separated text.
 */
export interface Table {
  /** The last one that is shown wraps. */
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly Cell[])[];
}

type Plain = string | number | null | undefined;

/** A cell; one that a terminal shows shorter or in colour has its exact value beside that. */
export type Cell =
  Plain | { readonly exact: Plain; readonly short?: string; readonly tone?: Tone | undefined };

/** The table of one thing, a fact a row; one without a value (undefined) is left out. */
export function factTable(
  [name, value]: readonly [name: string, value: string],
  facts: readonly (readonly [name: Cell, value: Cell])[],
): Table {
  const columns = [{ name, whole: true }, { name: value }];
  return { columns, rows: facts.filter((fact) => fact[1] !== undefined) };
}

/** One line a row, cells parted by tabs, no header: what `cut` and `awk` want. */
export function tabSeparated({ rows }: Table): string {
  return rows.map((row) => `${row.map((cell) => plainText(exactOf(cell))).join('\t')}\n`).join('');
}

/** A table for a terminal: aligned under a header in lower case, fitted to its width. */
export async function terminalTable(table: Table, view: TableView): Promise<string> {
  const { drawTable } = await import('./draw-table.ts');
  const rows = table.rows.map((row) => row.map(shownCell));
  const columns = table.columns.map(({ name, ...each }) => ({
    ...each,
    name: name.replaceAll('_', ' '),
  }));
  return drawTable(columns, rows, view);
}

function shownCell(cell: Cell): ShownCell {
  if (cell === null || typeof cell !== 'object') return { text: plainText(cell), tone: undefined };
  return { text: plainText(cell.short ?? cell.exact), tone: cell.tone };
}

/** The exact value of a cell. */
export function exactOf(cell: Cell): Plain {
  return cell !== null && typeof cell === 'object' ? cell.exact : cell;
}

function plainText(value: Plain): string {
  return value === null || value === undefined ? '' : escapeText(String(value));
}

/** A time (ms since the epoch, like `now`), short on a terminal. */
export function timeCell(ms: number, now: number): Cell {
  return { exact: exactTime(ms), short: shortTime(ms, now) };
}

export function stateCell(word: string): Cell {
  return { exact: word, short: stateText(word), tone: toneOf(word) };
}

/** A number of bytes; `1.5 KB` on a terminal. */
export function bytesCell(bytes: number | null): Cell {
  return bytes === null ? null : { exact: bytes, short: bytesText(bytes) };
}

/** The number of bad or doubtful items: coloured unless it is 0. */
export function countCell(count: number, word: string): Cell {
  return { exact: count, tone: count === 0 ? 'dim' : toneOf(word) };
}
