import type { Command } from 'commander';
import { group } from '../../group.ts';
import { INSTALLATION, SCRIPTS, type Shell, SHELLS } from '../../output/completion.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { printJson } from '../../ui.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  const completion = group(program, 'completion', summary);
  for (const shell of SHELLS) registerShell(completion, runtime, shell);
  completion
    .command('candidates', { hidden: true })
    .description('What can stand in the place of the last word, for the scripts of the shells.')
    .argument('[word...]', 'the words after lectern, up to the cursor')
    .action(async (words: string[]) => {
      await printCandidates(runtime, words);
    });
}

function registerShell(parent: Command, runtime: Runtime, shell: Shell): void {
  parent
    .command(shell)
    .summary(`the script for ${shell}`)
    .description(`Print the script for ${shell}. ${INSTALLATION[shell]}`)
    .action(async (_options, command: Command) => {
      const { json } = command.optsWithGlobals<GlobalOptions>();
      const script = SCRIPTS[shell];
      if (json) await printJson(runtime, { shell, script });
      else await runtime.stdout.write(script);
    });
}

async function printCandidates(runtime: Runtime, words: readonly string[]): Promise<void> {
  const { buildProgram } = await import('../../program.ts');
  const { candidates } = await import('../../completion/candidates.ts');
  const program = await buildProgram(words.slice(0, -1), runtime);
  const found = await candidates(program, words, runtime);
  await runtime.stdout.write(found.map(({ word, summary }) => `${word}\t${summary}\n`).join(''));
}
