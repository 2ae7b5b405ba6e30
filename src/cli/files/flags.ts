import { type Command, InvalidArgumentError, Option } from 'commander';

const MOST_AT_ONCE = 32;

/** `--concurrency N`, for commands that work on many files. */
export function addConcurrency(command: Command): Command {
  return command.addOption(
    new Option('--concurrency <n>', 'files at once').argParser(wholeNumber).default(4),
  );
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= MOST_AT_ONCE) return value;
  throw new InvalidArgumentError(`a whole number from 1 to ${MOST_AT_ONCE} is needed.`);
}
