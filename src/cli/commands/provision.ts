import { defineCommand, unlessDryRun } from '../declare/define.ts';
import { WRITE_EXITS } from './exits.ts';

export const provisionNoun = defineCommand({
  description:
    'Mark a level as provisioned by a PUT to its provision URL. Afterwards its row and files are available.',
  args: [{ name: '<level>', help: 'context or location' }],
  flags: { '--dry-run': 'show what would be sent without sending it' },
  examples: ['lectern provision location -l request'],
  exits: WRITE_EXITS,
  changes: unlessDryRun,
  load: async () => (await import('../provision/provision.ts')).runProvision,
});
