import type { Command } from 'commander';

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** The flags that say which columns of a grade file are which. */
export function addColumnFlags(command: Command): Command {
  return command
    .option(
      '--map <name=column>',
      "read the file's column NAME as COLUMN, such as id=member",
      collect,
    )
    .option('--ignore-column <name>', 'do not read this column of the file', collect)
    .option('--ignore-other-columns', 'read only the columns of a grade file');
}

/** The flags of a grade file, without `--max-score`, which a single grade takes too. */
export function addReadingFlags(command: Command): Command {
  return addColumnFlags(command).option(
    '--last-wins',
    'if a member occurs more than once, use the last record',
  );
}
