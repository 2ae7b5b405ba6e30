import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('provision')
    .summary(summary)
    .description(
      'The finish call: PUT the provision URL of a level, after which its row and files answer.',
    )
    .argument('<level>', 'context or location')
    .option('--dry-run', 'show what would be sent, and send nothing')
    .action(
      verb(runtime, async (context, level: string) => {
        const { runProvision } = await import('../provision/provision.ts');
        await runProvision(context, level);
      }),
    );
}
