import type { Command } from 'commander';

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
