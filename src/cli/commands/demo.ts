import { defineCommand } from '../declare/define.ts';

export const demoNoun = defineCommand({
  description: 'Start an emulator in a temporary folder and run the main commands against it.',
  flags: { '--step': 'wait for Enter after each command' },
  examples: ['lectern demo'],
  ignoresProject: true,
  load: async () => (await import('../demo/demo.ts')).runDemo,
});
