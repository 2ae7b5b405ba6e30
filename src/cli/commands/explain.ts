import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('explain')
    .summary(summary)
    .description(
      'Explain an HTTP status, an exit code, a finding code, a term of the glossary, or a table: limits, errors, exit-codes or changes. With json, list the commands that print JSON, or print the JSON Schema of what one of them prints. With example grades, print a grade file for the example course. With all, print the whole reference. Without an argument, list what can be explained.',
    )
    .argument(
      '[word]',
      'an HTTP status, an exit code, a finding code, a term, a table, json or all',
    )
    .argument(
      '[command...]',
      'after json: the command, such as grade submit; or the rest, such as in doubt or example grades',
    )
    .action(
      verb(runtime, async (context, word: string | undefined, command: readonly string[]) => {
        const { runExplain } = await import('../explain/explain.ts');
        await runExplain(context, word, command);
      }),
    );
}
