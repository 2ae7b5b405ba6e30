import { defineCommand } from '../declare/define.ts';
import { OFFLINE_EXITS } from './exits.ts';

export const initNoun = defineCommand({
  description:
    'Write lectern.json, the project file, into the current folder. On a terminal it asks for the seed, the port and the folder of a hosted tool; --yes takes the defaults. An existing file is kept unless --force is given. The schema: lectern explain schema project.',
  flags: { '--force': 'replace an existing project file' },
  examples: ['lectern init --yes', 'lectern init --yes --force'],
  exits: OFFLINE_EXITS,
  ignoresProject: true,
  load: async () => (await import('../init/init.ts')).runInit,
});
