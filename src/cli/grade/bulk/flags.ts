import { type Command, InvalidArgumentError, Option } from 'commander';
import type { SendOptions } from './run.ts';

/** The flags by which a run is sent, now or on a resume. */
export function addSendFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--limit <n>', 'send no more than this many').argParser((text) =>
        wholeNumber(text, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(
      new Option('--concurrency <n>', 'so many at once (default 4)').argParser((text) =>
        wholeNumber(text, MOST_AT_ONCE),
      ),
    )
    .addOption(new Option('--rate <n/s>', 'no faster than this').argParser(perSecond));
}

/** What these flags give. */
export interface SendFlags extends SendOptions {
  readonly limit?: number;
}

const MOST_AT_ONCE = 1024;

function wholeNumber(text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? '1 or more' : `from 1 to ${most}`;
  throw new InvalidArgumentError(`a whole number is needed, ${range}.`);
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };

/** `20/s`, `20` or `600/min`, as requests a second. */
function perSecond(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(?:\/(s|min|h))?$/.exec(text.trim()) ?? [];
  const rate = Number(number) / (SECONDS[unit] as number);
  if (rate > 0) return rate;
  throw new InvalidArgumentError('a rate such as 20/s or 600/min is needed.');
}
