import { escapeText } from './escape.ts';

/** A table as data: what a terminal shows aligned, and a pipe gets as tab-separated text. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | null | undefined)[])[];
  /** Indexes of columns that hold numbers: aligned to the right. */
  readonly numeric?: readonly number[];
}

/** One line a row, cells parted by tabs, no header: what `cut` and `awk` want. */
export function tabSeparated(table: Table): string {
  return table.rows.map((row) => `${row.map(cellText).join('\t')}\n`).join('');
}

/** Aligned columns under a header, cut to the width of the terminal. */
export async function terminalTable(table: Table, width: number): Promise<string> {
  const { default: CliTable } = await import('cli-table3');
  const numeric = new Set(table.numeric ?? []);
  const cells = table.rows.map((row) => row.map(cellText));
  const widths = columnWidths([[...table.columns], ...cells], width);
  const shown = new CliTable({
    head: [...table.columns],
    // Its own colours would be written even into a pipe.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': GAP },
    chars: NO_BORDERS,
    colWidths: widths.map((each) => each + GAP),
    colAligns: table.columns.map((_, index) => (numeric.has(index) ? 'right' : 'left')),
  });
  for (const row of cells) shown.push(row);
  const lines = shown.toString().split('\n');
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

const GAP = 2;
const MIN_COLUMN = 6;

const NO_BORDERS = Object.fromEntries(
  (
    'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right ' +
    'left left-mid mid mid-mid right right-mid middle'
  )
    .split(' ')
    .map((name) => [name, '']),
);

function cellText(cell: string | number | null | undefined): string {
  return cell === null || cell === undefined ? '' : escapeText(String(cell));
}

/** The width each column needs, the widest shrunk first until all fit the terminal. */
function columnWidths(rows: readonly (readonly string[])[], width: number): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, [...cell].length);
    }
  }
  let over = widths.reduce((sum, each) => sum + each + GAP, 0) - width;
  while (over > 0) {
    const most = widths.reduce((widest, each) => Math.max(widest, each), 0);
    if (most <= MIN_COLUMN) break;
    widths[widths.indexOf(most)] = most - 1;
    over -= 1;
  }
  return widths;
}
