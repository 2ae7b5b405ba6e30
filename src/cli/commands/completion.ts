import type { Command } from 'commander';
import { INSTALLATION, SHELLS, type Shell } from '../output/completion.ts';
import type { Runtime } from '../runtime.ts';
import { group, verb } from './group.ts';

/** Builds the command tree for other words: completion inspects the commands themselves. */
type BuildProgram = (argv: readonly string[], runtime: Runtime) => Promise<Command>;

export function register(
  parent: Command,
  runtime: Runtime,
  summary: string,
  build: BuildProgram,
): void {
  const completion = group(parent, 'completion', summary);
  for (const shell of SHELLS) registerShell(completion, runtime, shell);
  completion
    .command('candidates', { hidden: true })
    .description('Print the completions of the last word; called by the shell scripts.')
    .argument('[word...]', 'the words after lectern, up to the cursor')
    .action(async (words: string[]) => {
      const { runCandidates } = await import('../completion/candidates.ts');
      const program = await build(words.slice(0, -1), runtime);
      await runCandidates(runtime, program, words);
    });
}

function registerShell(parent: Command, runtime: Runtime, shell: Shell): void {
  parent
    .command(shell)
    .summary(`generate the completion script for ${shell}`)
    .description(`Print the completion script for ${shell}. ${INSTALLATION[shell]}`)
    .action(
      verb(runtime, async (context) => {
        const { runScript } = await import('../completion/script.ts');
        await runScript(context, shell);
      }),
    );
}
