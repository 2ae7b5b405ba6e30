import type { Command } from 'commander';
import { INSTALLATION, SCRIPTS, SHELLS } from '../output/completion.ts';
import { defineCommand, type Noun, verbs } from '../declare/define.ts';

const scripts = SHELLS.map(
  (shell) =>
    [
      shell,
      defineCommand({
        summary: `generate the completion script for ${shell}`,
        description: `Print the completion script for ${shell}. ${INSTALLATION[shell]}`,
        examples: [`lectern completion ${shell}`],
        load: async () => async () => {
          const script = SCRIPTS[shell];
          return { json: { shell, script }, show: { raw: script } };
        },
      }),
    ] as const,
);

/** Completion reads the tree of commands, which `treeFor` builds for the words before the cursor. */
export function completionNoun(treeFor: (words: readonly string[]) => Promise<Command>): Noun {
  const candidates = defineCommand({
    isHidden: true,
    description: 'Print the completions of the last word; called by the shell scripts.',
    args: [{ name: '[word...]', help: 'the words after lectern, up to the cursor' }],
    load: async () => {
      const { runCandidates } = await import('../completion/candidates.ts');
      return async (context, words) =>
        runCandidates(context, await treeFor(words.slice(0, -1)), words);
    },
  });
  return { ignoresProject: true, commands: verbs({ ...Object.fromEntries(scripts), candidates }) };
}
