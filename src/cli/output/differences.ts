import type { ListColumns, ItemOf } from './columns.ts';

/** How a difference is named on a terminal. */
export const DIFFERENCE_WORDS = {
  differs: 'differs',
  missing: 'missing',
  only_in_export: 'only in the export',
  no_grade: 'no grade',
  unreadable: 'unreadable',
};

/** The members of whom a run and an export do not agree. */
export const DIFFERENCES = {
  line: { type: 'count?', drop: 1 },
  member: { type: 'id' },
  difference: {
    type: 'text',
    choices: ['differs', 'missing', 'only_in_export', 'no_grade', 'unreadable'],
    whole: true,
    cell: (kind: keyof typeof DIFFERENCE_WORDS) => ({ exact: kind, short: DIFFERENCE_WORDS[kind] }),
  },
  score: { type: 'number?', isJsonOnly: true },
  run: { made: ({ score }: { score: number | null }) => score, numeric: true },
  export: {
    type: 'number?',
    made: (item: { export: number | null; export_text: string | null }) =>
      item.export ?? item.export_text,
  },
  export_line: { type: 'count?', describes: 'in the export', drop: 2 },
  outcome: { type: 'text?', choices: ['success', 'failed', 'refused', 'in_doubt', 'not_sent'] },
  export_text: { type: 'text?', describes: 'of a line without a score', isJsonOnly: true },
} as const satisfies ListColumns;
export type DifferenceItem = ItemOf<typeof DIFFERENCES>;
