import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('provision')
    .summary(summary)
    .description(
      'Mark a level as provisioned by a PUT to its provision URL. Afterwards its row and files are available.',
    )
    .argument('<level>', 'context or location')
    .option('--dry-run', 'show what would be sent without sending it')
    .action(
      verb(runtime, async (context, level: string) => {
        const { runProvision } = await import('../provision/provision.ts');
        await runProvision(context, level);
      }),
    );
}
