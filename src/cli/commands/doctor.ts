import { defineCommand } from '../declare/define.ts';

export const doctorNoun = defineCommand({
  description:
    'Check what lectern depends on: its folders and their permissions, the keychain, the ledger, Node, proxies and certificates. Makes no network requests. Exits with 1 if a check fails.',
  examples: ['lectern doctor'],
  exits: [1],
  ignoresProject: true,
  list: { columns: async () => (await import('../output/checks.ts')).CHECKUPS },
  load: async () => (await import('../doctor/doctor.ts')).runDoctor,
});
