import type { Permit } from '../json-forms/launch.ts';
import type { Action, Permission } from '../../validator/launch.ts';

/** The commands that need an action; ROW is a placeholder. `undo` and `copy` write. */
const COMMANDS: Readonly<Record<Action, readonly string[]>> = {
  read_row: ['storage get ROW', 'storage diff ROW', 'storage size ROW', 'storage watch ROW'],
  write_row: [
    'storage put ROW',
    'storage patch ROW',
    'storage edit ROW',
    'storage undo ROW',
    'storage copy FROM ROW',
  ],
  read_files: ['files ls ROW', 'files stat ROW', 'files download ROW', 'files sync ROW DIR'],
  write_files: ['files upload ROW', 'files rm ROW', 'files sync DIR ROW'],
  submit_own_grade: ['grade submit'],
  submit_other_grade: ['grade submit --member', 'grade submit --from', 'grade resume'],
  submit_with_api_key: ['grade submit --api-key'],
  provision: ['provision ROW'],
  check: ['launch check'],
};

/** The permissions of a launch, by command. */
export function permitsOf(permissions: readonly Permission[]): Permit[] {
  return permissions.flatMap(({ action, row = '', allowed, reason }) =>
    COMMANDS[action].map((command) => ({ command: command.replace('ROW', row), allowed, reason })),
  );
}
