import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('explain')
    .summary(summary)
    .description(
      'Explain an HTTP status, an exit code, the code of a finding, or one of the tables: limits, errors, exit-codes, changes. Without a word, all of it.',
    )
    .argument('[word]', 'an HTTP status, an exit code, a code of a finding, or a table')
    .action(
      verb(runtime, async (context, word: string | undefined) => {
        const { runExplain } = await import('../explain/explain.ts');
        await runExplain(context, word);
      }),
    );
}
