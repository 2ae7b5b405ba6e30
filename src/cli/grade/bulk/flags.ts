import { type Command, InvalidArgumentError } from 'commander';
import { durationSeconds } from '../../duration.ts';
import { InvalidError } from '../../errors.ts';
import { whole } from '../../number-arguments.ts';
import { numberOf } from '../body.ts';
import { columnNames } from './columns.ts';
import type { ReadingOptions } from './rows.ts';
import type { SendOptions } from './run.ts';

/** The flags by which a run is sent, now or on a resume. */
export function addSendFlags(command: Command): Command {
  return addLimitFlag(command, 'send no more than this many')
    .option('--concurrency <n>', 'so many at once (default 4)', whole({ from: 1, to: 1024 }))
    .option('--rate <n/s>', 'no faster than this', perSecond);
}

export function addLimitFlag(command: Command, description: string): Command {
  return command.option('--limit <n>', description, whole({ from: 1 }));
}

/** What these flags give. */
export interface SendFlags extends SendOptions {
  readonly limit?: number;
}

/** What says how a file is to be read; kept with a run, so that its file can be known again. */
export interface ReadingFlags {
  readonly map?: readonly string[];
  readonly maxScore?: string;
  readonly lastWins?: boolean;
}

/** The flags of a file of grades, but for `--max-score`, which is no flag of a file alone. */
export function addReadingFlags(command: Command): Command {
  return command
    .option(
      '--map <name=column>',
      'what a column is, such as student_id=member',
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option('--last-wins', 'of several rows of a member, take the last');
}

/** Checks these flags and gives what they mean. */
export function readingOptions({ map = [], maxScore, lastWins }: ReadingFlags): ReadingOptions {
  return {
    names: columnNames(map),
    maxScore: maxScore === undefined ? undefined : pointsPossible(maxScore),
    lastWins,
  };
}

function pointsPossible(text: string): number {
  const value = numberOf('--max-score', text);
  if (value > 0 && value < Infinity) return value;
  throw new InvalidError('--max-score must be greater than 0', { code: 'grade.max_score_range' });
}

/** `20/s`, `20` or `600/min`, as requests a second. */
function perSecond(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([a-z]+))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (durationSeconds(`1${unit}`) ?? Number.NaN);
  if (rate > 0) return rate;
  throw new InvalidArgumentError('a rate such as 20/s or 600/min is needed.');
}
