import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('explain')
    .summary(summary)
    .description(
      'Explain an HTTP status, an exit code, a finding code, or a table: limits, errors, exit-codes or changes. Without an argument, print everything.',
    )
    .argument('[word]', 'an HTTP status, an exit code, a finding code or a table')
    .action(
      verb(runtime, async (context, word: string | undefined) => {
        const { runExplain } = await import('../explain/explain.ts');
        await runExplain(context, word);
      }),
    );
}
