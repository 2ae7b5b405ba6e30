import type { Command } from 'commander';

/** The full name of a command, starting with the program's. */
export function pathOf(command: Command): string {
  const name = command.name();
  return command.parent === null ? name : `${pathOf(command.parent)} ${name}`;
}
