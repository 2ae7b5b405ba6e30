import type { Command } from 'commander';
import { whole } from '../../arguments/numbers.ts';

/** How help explains ROW. */
export const FILES_ARGUMENT = 'context, location, member, member_location or a files URL';

/** `--concurrency N`, for commands that work on many files. */
export function addConcurrency(command: Command): Command {
  return command.option('--concurrency <n>', 'files at once', whole({ from: 1, to: 32 }), 4);
}
