import type { Command } from 'commander';
import { whole } from '../number-arguments.ts';

/** `--concurrency N`, for commands that work on many files. */
export function addConcurrency(command: Command): Command {
  return command.option('--concurrency <n>', 'files at once', whole({ from: 1, to: 32 }), 4);
}
