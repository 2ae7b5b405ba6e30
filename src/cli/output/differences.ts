import { column, type ItemOf } from './resource.ts';
import { stateCell } from './table.ts';

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
  line: column((s) => s.nullable(s.count), { numeric: true, drop: 1 }),
  member: column((s) => s.text, { whole: true }),
  difference: column(
    (s) => s.oneOf('differs', 'missing', 'only_in_export', 'no_grade', 'unreadable'),
    { whole: true, cell: (kind) => ({ exact: kind, short: DIFFERENCE_WORDS[kind] }) },
  ),
  score: column((s) => s.nullable(s.anyNumber), { isJsonOnly: true }),
  run: { of: ({ score }: { score: number | null }) => score, numeric: true },
  export: column((s) => s.nullable(s.anyNumber), {
    numeric: true,
    of: (item: { export: number | null; export_text: string | null }) =>
      item.export ?? item.export_text,
  }),
  export_line: column((s) => s.described(s.nullable(s.count), 'in the export'), {
    numeric: true,
    drop: 2,
  }),
  outcome: column(
    (s) => s.nullable(s.oneOf('success', 'failed', 'refused', 'in_doubt', 'not_sent')),
    { cell: (state) => state && stateCell(state) },
  ),
  export_text: column((s) => s.described(s.nullable(s.text), 'of a line without a score'), {
    isJsonOnly: true,
  }),
};
export type DifferenceItem = ItemOf<typeof DIFFERENCES>;
