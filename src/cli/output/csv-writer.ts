import { escapeFormula } from '../../grades/csv.ts';
import { escapeLines } from './escape.ts';
import { exactOf, type Table } from './table.ts';
import type { Output } from '../runtime.ts';

/**
 * Writes tables as one CSV file, the names of the columns first. A text that a spreadsheet would
 * execute is marked.
 */
export async function csvWriter(stdout: Output, { columns }: Table) {
  const { stringify } = await import('csv-stringify/sync');
  const write = (rows: string[][]): Promise<void> => {
    const csv = stringify(rows);
    return stdout.write(stdout.isTerminal ? escapeLines(csv) : csv);
  };
  await write([columns.map(({ name }) => name)]);
  return {
    add: ({ rows }: Table): Promise<void> =>
      write(rows.map((row) => row.map((cell) => csvText(exactOf(cell))))),
    comment: (text: string): Promise<void> => stdout.write(`# ${text}\n`),
  };
}

function csvText(cell: string | number | null | undefined): string {
  return typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? '');
}
