import { truncate, type Violation, violation } from '../contract/index.ts';
import { GRADE_COLUMNS, type GradeColumn } from '../validator/grades.ts';
import { nearest, oneOf } from '../validator/nearest.ts';

/** What a report says of a record beside its grade: known in a file of grades, and not read. */
export const REPORT_COLUMNS = [
  'line',
  'outcome',
  'status',
  'http',
  'attempt',
  'error',
  'response',
] as const;

/** Other names of columns: the name in the file, and the column it stands for. */
export type ColumnNames = ReadonlyMap<string, GradeColumn>;

/** What stands under a name; undefined where it is known and not read. */
export type Column = GradeColumn | undefined;

/** The column that a name stands for, or what is wrong with the name. */
export function columnOf(name: string, names: ColumnNames): Column | Violation {
  const column = names.get(name) ?? name;
  if (isColumn(column)) return column;
  // A report is fed back as it is: what it says beside the grades is known, and not read.
  if ((REPORT_COLUMNS as readonly string[]).includes(column)) return undefined;
  return violation('grades.column_unknown', '', {
    column: truncate(name),
    nearest: nearestColumn(truncate(name)),
  });
}

function nearestColumn(name: string): string {
  return name === '' ? oneOf(GRADE_COLUMNS) : nearest(name, GRADE_COLUMNS);
}

/** The columns of a header, or everything that is wrong with it. */
export function readHeader(
  cells: readonly string[],
  names: ColumnNames,
): { columns: Column[] } | { violations: Violation[] } {
  const found = cells.map((cell) => columnOf(cell.trim(), names));
  const columns = found.filter((each) => typeof each === 'string');
  const violations = [
    ...found.filter((each) => typeof each === 'object'),
    ...twice(columns).map((column) => violation('grades.column_twice', '', { column })),
    ...missing(columns, cells, names),
  ];
  return violations.length > 0 ? { violations } : { columns: found as Column[] };
}

function twice(columns: readonly GradeColumn[]): GradeColumn[] {
  return [...new Set(columns.filter((column, index) => columns.indexOf(column) !== index))];
}

function missing(
  columns: readonly GradeColumn[],
  cells: readonly string[],
  names: ColumnNames,
): Violation[] {
  const present = cells.map((cell) => cell.trim());
  const unmapped = [...names.keys()].filter((name) => !present.includes(name));
  const needed = columns.includes('points') ? ['member'] : ['member', 'score'];
  const absent = needed.filter((column) => !(columns as readonly string[]).includes(column));
  return [...unmapped, ...absent].map((column) =>
    violation('grades.column_missing', '', { column }),
  );
}

function isColumn(name: string): name is GradeColumn {
  return (GRADE_COLUMNS as readonly string[]).includes(name);
}
