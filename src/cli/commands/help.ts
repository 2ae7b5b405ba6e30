import type { Command } from 'commander';
import { UsageError } from '../../errors.ts';
import { type CommandDeclaration, defineCommand } from '../declare/define.ts';

/** `help NOUN VERB`: commander's own has only one level, and ignores an unknown command. */
export function helpCommand(
  program: Command,
  loadTree: () => Promise<readonly CommandDeclaration[]>,
): CommandDeclaration {
  const help = defineCommand({
    name: 'help',
    summary: 'show help for a command',
    description:
      'Show help for a command or a topic. With --json, print the tree of commands with their arguments, flags, exit codes and examples.',
    args: [
      {
        name: '[command...]',
        help: 'the command, such as: storage get; or a topic, such as: exit-codes',
      },
    ],
    examples: [
      'lectern help storage get',
      'lectern help exit-codes',
      'lectern help --brief',
      'lectern help --json',
    ],
    flags: {
      '--man': 'print its manual page as man reads it (roff)',
      '--brief': 'print all commands, a line each with its arguments and flags',
    },
    ignoresProject: true,
    load: async () => {
      const { printBrief, printManPage, printTree, showHelp } =
        await import('../help/show-help.ts');
      return async (context, words) => {
        const { json, man, brief } = context.options;
        const forms = [json && '--json', man && '--man', brief && '--brief'].filter((each) => each);
        if (forms.length > 1) throw new UsageError(`${forms.join(' and ')} cannot be combined`);
        if (brief && words.length > 0) {
          throw new UsageError('--brief prints all commands, and takes none');
        }
        if (brief) await printBrief(context, [...(await loadTree()), help]);
        else if (man) printManPage(program, words);
        else if (!json) showHelp(program, words);
        else await printTree(context, program, [...(await loadTree()), help], words);
      };
    },
  });
  return help;
}
