import { InvalidError, UsageError } from '../../../errors.ts';
import { quoted } from '../../../contract/words.ts';
import { numberOf } from '../body.ts';
import type { ReadingOptions } from '../../../grades/checked-records.ts';
import type { GradeFileOptions } from '../flags.ts';
import { type ColumnNames, isColumn, isSameColumn } from '../../../grades/columns.ts';
import { GRADE_COLUMNS, type GradeColumn } from '../../../validator/grades.ts';
import { nearest } from '../../../contract/nearest.ts';

export function readingOptions({
  map = [],
  ignoreColumn = [],
  ignoreOtherColumns,
  maxScore,
  lastWins,
}: GradeFileOptions): ReadingOptions {
  const names = columnNames(map);
  return {
    names,
    ignored: ignoredColumns(ignoreColumn, names),
    ignoreOthers: ignoreOtherColumns,
    maxScore: maxScore === undefined ? undefined : pointsPossible(maxScore),
    lastWins,
  };
}

function pointsPossible(text: string): number {
  const value = numberOf('--max-score', text);
  if (value > 0 && value < Infinity) return value;
  throw new InvalidError('--max-score must be greater than 0', { code: 'grade.max_score_range' });
}

export function columnNames(maps: readonly string[]): ColumnNames {
  const names = new Map<string, GradeColumn>();
  for (const each of maps) {
    const [name, column] = mapping(each);
    const earlier = [...names].find(([mapped]) => isSameColumn(mapped, name));
    if (earlier?.[1] === column) continue;
    if (earlier) {
      throw new UsageError(`--map: the column ${JSON.stringify(name)} is mapped twice`);
    }
    names.set(name, column);
  }
  return names;
}

function mapping(text: string): [name: string, column: GradeColumn] {
  const [, name = '', column] = /^(.+)=([^=]*)$/.exec(text) ?? [];
  if (name.trim() === '' || column === undefined) {
    throw new UsageError(
      `--map ${JSON.stringify(text)} is not valid`,
      'use --map NAME=COLUMN, such as --map student_id=member',
    );
  }
  const known = column.trim().toLowerCase();
  if (isColumn(known)) return [name.trim(), known];
  const [, first = '', rest = ''] = /^([^=]*)=(.+)$/.exec(text) ?? [];
  const reversed = first.trim().toLowerCase();
  if (isColumn(reversed)) {
    throw new UsageError(
      `--map ${JSON.stringify(text)} is the wrong way round`,
      `use --map ${quoted(`${rest.trim()}=${reversed}`)}`,
    );
  }
  throw new UsageError(
    `--map: ${JSON.stringify(column)} is not a column of a grade file`,
    nearest(column, GRADE_COLUMNS),
  );
}

function ignoredColumns(columns: readonly string[], names: ColumnNames): string[] {
  return columns.map((each) => {
    const column = each.trim();
    if (column === '') throw new UsageError('--ignore-column needs the name of a column');
    if (![...names.keys()].some((name) => isSameColumn(name, column))) return column;
    const message = `the column ${JSON.stringify(column)} is both mapped and ignored`;
    throw new UsageError(message, 'use either --map or --ignore-column for it');
  });
}
