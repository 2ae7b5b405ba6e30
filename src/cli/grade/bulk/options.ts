import { InvalidError } from '../../../errors.ts';
import { numberOf } from '../body.ts';
import { columnNames, ignoredColumns } from './column-names.ts';
import type { ReadingOptions } from '../../../grades/checked-records.ts';
import type { GradeFileOptions } from '../flags.ts';

/** Checks the flags for reading a file, and returns the options. */
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
