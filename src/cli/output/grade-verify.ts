import type { Comparison, Difference } from '../../grades/verify.ts';
import { stateCell } from './cells.ts';
import { listTable, type Table } from './table.ts';
import { numberText } from './units.ts';

const WORDS = { differs: 'differs', missing: 'missing', only_in_export: 'only in the export' };

/** Members whose grades differ between a run and an export. */
export function differenceTable(differences: readonly Difference[]): Table {
  return listTable(differences, [
    { name: 'line', numeric: true, drop: 1, cell: ({ line }) => line },
    { name: 'member', whole: true, cell: ({ member }) => member },
    {
      name: 'difference',
      whole: true,
      cell: ({ kind }) => ({ exact: kind, short: WORDS[kind] }),
    },
    { name: 'run', numeric: true, cell: ({ sent }) => sent },
    { name: 'export', numeric: true, cell: ({ found }) => found },
    { name: 'outcome', cell: ({ state }) => state && stateCell(state) },
  ]);
}

export function differenceJson({ kind, member, line, state, sent, found }: Difference): string {
  return JSON.stringify({
    member,
    difference: kind,
    line: line ?? null,
    outcome: state ?? null,
    score: sent ?? null,
    export: found ?? null,
  });
}

export function verdictText({ agree, differs, missing, onlyInExport }: Comparison): string {
  const counts = [
    [differs, 'differ'],
    [missing, 'missing from the export'],
    [onlyInExport, 'only in the export'],
  ] as const;
  const bad = counts.filter(([count]) => count > 0);
  const rest = bad.map(([count, words]) => `, ${numberText(count)} ${words}`).join('');
  return `${numberText(agree)} agree${rest}`;
}
