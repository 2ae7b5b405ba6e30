import { flagWord } from '../contract/words.ts';
import type { RecordOptions } from './columns.ts';

/** A way to read a file whose columns are not those of a grade file. */
export interface Reading {
  readonly options: RecordOptions;
  /** The column with the score. */
  readonly column: string;
  /** The file itself has the points possible. */
  readonly hasMaximum: boolean;
  /** What is said behind it. */
  readonly note: string | undefined;
  /** The same for any column with a score, which is named by a placeholder. */
  readonly pattern: { readonly options: RecordOptions; readonly column: string };
}

/** The placeholder for the column with the score. */
export const ANY_COLUMN = 'COLUMN';
/** The placeholder for points possible that are neither in the file nor in the flags. */
export const UNKNOWN_POINTS = Number.MAX_VALUE;
/** More command lines are not read. */
export const MAX_READINGS = 3;

const SCORES = ['several columns could be the score', 'read one of them'] as const;
export const NUMBERS = ['columns with numbers', 'read the one with the score'] as const;

/** The command lines of readings, of which one is to be pasted. */
export function hintOf(readings: readonly Reading[]): string {
  const lines = readings.map(({ options, note = '' }) => lineOf(options) + note);
  const points = pointsNote(lines);
  const [first] = lines as [string];
  if (lines.length === 1) return `read the file with: ${first}${points}`;
  const ways = lines.slice(0, MAX_READINGS).join('; or: ');
  const columns = columnsOf(readings);
  if (columns.length === 1) {
    return `the file can be read in ${lines.length} ways: ${ways}${points}`;
  }
  if (lines.length > MAX_READINGS) return patternsOf(readings, SCORES);
  return `${SCORES[0]}: ${columns.join(', ')}; ${SCORES[1]}: ${ways}${points}`;
}

/** A hint for columns of which none is chosen. */
export function patternsOf(
  readings: readonly Reading[],
  [found, advice]: readonly [string, string],
): string {
  const skipUngraded = readings.some(({ options }) => options.skipUngraded);
  const lines = readings.map(({ pattern }) => lineOf({ ...pattern.options, skipUngraded }));
  const ways = [...new Set(lines)].slice(0, MAX_READINGS).join('; or: ');
  const as = readings[0]?.pattern.column;
  return `${found}: ${columnsOf(readings).join(', ')}; ${advice} as ${as}: ${ways}${pointsNote(lines)}`;
}

function columnsOf(readings: readonly Reading[]): string[] {
  return [...new Set(readings.map(({ column }) => column))];
}

function lineOf(options: RecordOptions): string {
  return [options.command, flagsOf(options)].join(' ').trim();
}

function pointsNote(lines: readonly string[]): string {
  const isNeeded = lines.some((line) => line.includes('--max-score POINTS'));
  return isNeeded ? ' (POINTS: the points possible of the column)' : '';
}

function flagsOf(options: RecordOptions): string {
  const { names, maxScore, where = new Map(), skipUngraded, ignored = [], ignoreOthers } = options;
  const points = maxScore === UNKNOWN_POINTS ? 'POINTS' : maxScore;
  return [
    ...[...names].map(([name, column]) =>
      // Most columns that are put in its place have spaces.
      name === ANY_COLUMN ? `--map '${name}=${column}'` : flagWord('--map', `${name}=${column}`),
    ),
    ...(points === undefined ? [] : [`--max-score ${points}`]),
    ...[...where].map(([name, value]) => flagWord('--where', `${name}=${value}`)),
    ...(skipUngraded ? ['--skip-ungraded'] : []),
    ...ignored.map((name) => flagWord('--ignore-column', name)),
    ...(ignoreOthers ? ['--ignore-other-columns'] : []),
  ].join(' ');
}
