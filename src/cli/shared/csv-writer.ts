import { escapeFormula } from '../../grades/csv.ts';
import { escapeLines } from '../output/escape.ts';
import { exactOf, type Table } from '../output/table.ts';
import type { Context } from '../runtime.ts';
import { chosen } from '../output/print.ts';

/**
 * Writes tables as one CSV file, the names of the columns first. A text that a spreadsheet would
 * execute is marked.
 */
export async function csvWriter(context: Context, empty: Table) {
  const { stringify } = await import('csv-stringify/sync');
  const { stdout } = context;
  const write = (rows: string[][]): Promise<void> => {
    const csv = stringify(rows);
    return stdout.write(stdout.isTerminal ? escapeLines(csv) : csv);
  };
  await write([chosen(context, empty).columns.map(({ name }) => name)]);
  return {
    add: (table: Table): Promise<void> =>
      write(chosen(context, table).rows.map((row) => row.map((cell) => csvText(exactOf(cell))))),
    comment: (text: string): Promise<void> => stdout.write(`# ${text}\n`),
  };
}

function csvText(cell: string | number | null | undefined): string {
  return typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? '');
}
