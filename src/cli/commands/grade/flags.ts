import { type Command, InvalidArgumentError } from 'commander';
import { durationSeconds } from '../../arguments/duration.ts';
import { whole } from '../../arguments/numbers.ts';

/** The flags by which a run is sent, now or on a resume. */
export function addSendFlags(command: Command): Command {
  return addLimitFlag(command, 'send no more than this many')
    .option('--concurrency <n>', 'so many at once (default 4)', whole({ from: 1, to: 1024 }))
    .option('--rate <n/s>', 'no faster than this', perSecond);
}

export function addLimitFlag(command: Command, description: string): Command {
  return command.option('--limit <n>', description, whole({ from: 1 }));
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

/** `20/s`, `20` or `600/min`, as requests a second. */
function perSecond(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/([a-z]+))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (durationSeconds(`1${unit}`) ?? Number.NaN);
  if (rate > 0) return rate;
  throw new InvalidArgumentError('a rate such as 20/s or 600/min is needed.');
}
