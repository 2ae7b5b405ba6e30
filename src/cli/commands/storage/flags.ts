import type { Command } from 'commander';

/** How help explains ROW. */
export const ROW_ARGUMENT =
  'context, location, member, member_location, parent_context, parent_location or a URL';

/** The flags of every command that writes a row. */
export function addWriteFlags(command: Command): Command {
  return command
    .option('--dry-run', 'show what would be sent, and write nothing')
    .option('--no-history', 'do not keep the row as it is now');
}
