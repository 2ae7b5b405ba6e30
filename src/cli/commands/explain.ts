import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('explain')
    .summary(summary)
    .description(
      'Explain an HTTP status, an exit code, a finding code, or a table: limits, errors, exit-codes or changes. With json, list the commands that print JSON, or print the JSON Schema of what one of them prints. Without an argument, print everything.',
    )
    .argument('[word]', 'an HTTP status, an exit code, a finding code, a table, or json')
    .argument('[command...]', 'after json: the command, such as grade submit')
    .action(
      verb(runtime, async (context, word: string | undefined, command: readonly string[]) => {
        const { runExplain } = await import('../explain/explain.ts');
        await runExplain(context, word, command);
      }),
    );
}
