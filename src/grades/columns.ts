import { truncate, type Violation, violation } from '../contract/index.ts';
import { GRADE_COLUMNS, type GradeColumn } from '../validator/grades.ts';
import { nearest, oneOf } from '../validator/nearest.ts';

/** Columns of `grade report` beside the grade: accepted in a file of grades, but not read. */
export const REPORT_COLUMNS = [
  'line',
  'outcome',
  'status',
  'http',
  'attempt',
  'error',
  'response',
] as const;

/** Columns under another name: name in the file → column. */
export type ColumnNames = ReadonlyMap<string, GradeColumn>;

/** The column of a name; undefined if it is accepted but not read. */
export type Column = GradeColumn | undefined;

/** The column of a name, or what is wrong with the name. */
export function columnOf(name: string, names: ColumnNames): Column | Violation {
  const column = names.get(name) ?? name;
  if (isColumn(column)) return column;
  // A report can be passed back unchanged.
  if ((REPORT_COLUMNS as readonly string[]).includes(column)) return undefined;
  return violation('grades.column_unknown', '', {
    column: truncate(name),
    nearest: nearestColumn(truncate(name)),
  });
}

function nearestColumn(name: string): string {
  return name === '' ? oneOf(GRADE_COLUMNS) : nearest(name, GRADE_COLUMNS);
}

/**
 * The columns of a header and everything that is wrong with it. There are none where the records
 * cannot be read; a column that nobody knows is left out of them, and the rest is read.
 */
export function readHeader(
  cells: readonly string[],
  names: ColumnNames,
): { columns: Column[] | undefined; violations: Violation[] } {
  const found = cells.map((cell) => columnOf(cell.trim(), names));
  const columns = found.filter((each) => typeof each === 'string');
  const unreadable = [
    ...duplicates(columns).map((column) => violation('grades.column_twice', '', { column })),
    ...missingColumns(columns, cells, names),
  ];
  const unknown = found.filter((each) => typeof each === 'object');
  const read = found.map((each) => (typeof each === 'object' ? undefined : each));
  return {
    columns: unreadable.length > 0 ? undefined : read,
    violations: [...unknown, ...unreadable],
  };
}

function duplicates(columns: readonly GradeColumn[]): GradeColumn[] {
  return [...new Set(columns.filter((column, index) => columns.indexOf(column) !== index))];
}

function missingColumns(
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
