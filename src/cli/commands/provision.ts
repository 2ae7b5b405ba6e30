import { PROVISION_FLAGS } from '../provision/flags.ts';
import { defineCommand } from '../declare/define.ts';
import { WRITE_EXITS } from './exits.ts';

export const provisionNoun = defineCommand({
  name: 'provision',
  description:
    'Mark a level as provisioned by a PUT to its provision URL. Afterwards its row and files are available.',
  args: [{ name: '<level>', help: 'context or location' }],
  flags: PROVISION_FLAGS,
  examples: ['lectern provision location -l request'],
  exits: WRITE_EXITS,
  load: async () => (await import('../provision/provision.ts')).runProvision,
});
