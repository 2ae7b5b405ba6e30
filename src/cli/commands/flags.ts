import type { Command } from 'commander';

/** The flags of a grade file, without `--max-score`, which a single grade takes too. */
export function addReadingFlags(command: Command): Command {
  return command
    .option(
      '--map <name=column>',
      'rename a column, such as student_id=member',
      (value: string, before: readonly string[] = []) => [...before, value],
    )
    .option('--last-wins', 'if a member occurs more than once, use the last record');
}
