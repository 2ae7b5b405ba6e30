import type { TableColumn, ShownCell, TableView } from './draw-table.ts';
import { escapeText } from './escape.ts';
import type { Tone } from './paint.ts';

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

/** A column of a list: how it is drawn, and what an item has in it. */
export type ListColumn<Item> = TableColumn & { readonly cell: (item: Item) => Cell };

/** The table of a list, an item a row. */
export function listTable<Item>(
  items: readonly Item[],
  columns: readonly ListColumn<Item>[],
): Table {
  return { columns, rows: items.map((item) => columns.map(({ cell }) => cell(item))) };
}

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
  return drawTable(table.columns, rows, view);
}

function shownCell(cell: Cell): ShownCell {
  if (cell === null || typeof cell !== 'object') return { text: plainText(cell), tone: undefined };
  return { text: plainText(cell.short ?? cell.exact), tone: cell.tone };
}

function exactOf(cell: Cell): Plain {
  return cell !== null && typeof cell === 'object' ? cell.exact : cell;
}

function plainText(value: Plain): string {
  return value === null || value === undefined ? '' : escapeText(String(value));
}
