import { UsageError } from '../../../errors.ts';
import type { ColumnNames } from '../../../grades/columns.ts';
import { GRADE_COLUMNS, type GradeColumn } from '../../../validator/grades.ts';
import { nearest } from '../../../validator/nearest.ts';

/** Reads the values of `--map`. */
export function columnNames(maps: readonly string[]): ColumnNames {
  const names = new Map<string, GradeColumn>();
  for (const each of maps) {
    const [, name, column] = /^(.+)=([^=]*)$/.exec(each) ?? [];
    if (name === undefined || column === undefined) {
      throw new UsageError(
        `--map ${JSON.stringify(each)} is not valid`,
        'use --map NAME=COLUMN, such as --map student_id=member',
      );
    }
    if (!isColumn(column)) {
      throw new UsageError(
        `--map: ${JSON.stringify(column)} is not a column of a grade file`,
        nearest(column, GRADE_COLUMNS),
      );
    }
    names.set(name.trim(), column);
  }
  return names;
}

function isColumn(name: string): name is GradeColumn {
  return (GRADE_COLUMNS as readonly string[]).includes(name);
}
