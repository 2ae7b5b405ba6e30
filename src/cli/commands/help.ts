import type { Command } from 'commander';
import { UsageError } from '../../errors.ts';
import { type CommandDeclaration, defineCommand } from '../declare/define.ts';

/** `help NOUN VERB`: commander's own has only one level, and ignores an unknown command. */
export function helpCommand(
  program: Command,
  loadTree: () => Promise<readonly CommandDeclaration[]>,
): CommandDeclaration {
  const help: CommandDeclaration = {
    name: 'help',
    ...defineCommand({
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
        const { briefText, printManPage, treeBelow, showHelp } =
          await import('../help/show-help.ts');
        const { refuseJson } = await import('../output/print.ts');
        return async (context, words) => {
          const { man, brief } = context.options;
          const [flag, other] = [brief && '--brief', man && '--man'].filter((each) => each);
          if (flag) refuseJson(context, flag);
          if (flag && other) throw new UsageError(`${flag} and ${other} cannot be used together`);
          if (brief && words.length > 0) {
            throw new UsageError('--brief prints all commands, and takes none');
          }
          const all = async () => [...(await loadTree()), help];
          if (brief) return { show: briefText(await all()) };
          return {
            json: async () => treeBelow(program, await all(), words),
            show: {
              drawn: () => {
                if (man) printManPage(program, words);
                else showHelp(program, words);
                return '';
              },
            },
          };
        };
      },
    }),
  };
  return help;
}
