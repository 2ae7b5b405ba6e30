import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('demo')
    .summary(summary)
    .description('Start an emulator in a temporary folder and run the main commands against it.')
    .option('--step', 'wait for Enter after each command')
    .action(
      verb(runtime, async (context) => {
        const { runDemo } = await import('../demo/demo.ts');
        await runDemo(context);
      }),
    );
}
