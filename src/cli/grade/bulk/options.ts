import { InvalidError } from '../../../errors.ts';
import { numberOf } from '../body.ts';
import { columnNames, ignoredColumns } from './column-names.ts';
import type { ReadingOptions } from '../../../grades/checked-records.ts';
import type { SendOptions } from './run.ts';

/** What says how a run is sent, now or on a resume. */
export interface SendFlags extends SendOptions {
  readonly limit?: number;
}

/** What says how a file is to be read; kept with a run, so that its file can be known again. */
export interface ReadingFlags {
  readonly map?: readonly string[];
  readonly ignoreColumn?: readonly string[];
  readonly ignoreOtherColumns?: boolean;
  readonly maxScore?: string;
  readonly lastWins?: boolean;
}

/** Checks the flags of reading and gives what they mean. */
export function readingOptions({
  map = [],
  ignoreColumn = [],
  ignoreOtherColumns,
  maxScore,
  lastWins,
}: ReadingFlags): ReadingOptions {
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
