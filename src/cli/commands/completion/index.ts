import type { Command } from 'commander';
import { INSTALLATION, type Shell, SHELLS } from '../../output/completion.ts';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const completion = group(program, 'completion', summary);
  for (const shell of SHELLS) registerShell(completion, runtime, shell);
  completion
    .command('candidates', { hidden: true })
    .description('What can stand in the place of the last word, for the scripts of the shells.')
    .argument('[word...]', 'the words after lectern, up to the cursor')
    .action(async (words: string[]) => {
      const { runCandidates } = await import('../../completion/candidates.ts');
      await runCandidates(runtime, words);
    });
}

function registerShell(parent: Command, runtime: Runtime, shell: Shell): void {
  parent
    .command(shell)
    .summary(`the script for ${shell}`)
    .description(`Print the script for ${shell}. ${INSTALLATION[shell]}`)
    .action(async (_options, command: Command) => {
      const { runScript } = await import('../../completion/script.ts');
      await runScript(runtime, command.optsWithGlobals(), shell);
    });
}
