import type { Command } from 'commander';
import { refuseUnknown } from './group.ts';

/** `help NOUN VERB`: commander's own has only one level, and ignores an unknown command. */
export function addHelp(program: Command): void {
  program
    .helpCommand(false)
    .command('help')
    .summary('show help for a command')
    .description('Show help for a command or a topic.')
    .argument('[command...]', 'the command, such as: storage get; or a topic, such as: exit-codes')
    .option('--man', 'print its manual page as man reads it (roff)')
    .action(async (words: readonly string[], { man }: { man?: boolean }) => {
      if (man) return printManPage(program, words);
      const { TOPICS } = await import('../help/topics.ts');
      const topic = await topicText(program, words);
      if (topic !== undefined) {
        program.configureOutput().writeOut?.(`${topic}\n`);
        return;
      }
      let command = program;
      for (const word of words) {
        const { commands } = command;
        const found = commands.find((each) => each.name() === word);
        command =
          found ??
          refuseUnknown(
            word,
            [
              ...commands.map((each) => each.name()),
              ...(command === program ? ['flags', ...Object.keys(TOPICS)] : []),
            ],
            program,
          );
      }
      command.help();
    });
}

/** Prints lectern(1), or the page of a noun. */
async function printManPage(program: Command, [word]: readonly string[]): Promise<void> {
  const { nounPage, programPage } = await import('../help/man-page.ts');
  const nouns = program.commands;
  const noun = nouns.find((each) => each.name() === word);
  if (word !== undefined && noun === undefined) {
    refuseUnknown(
      word,
      nouns.map((each) => each.name()),
      program,
    );
  }
  const page = noun === undefined ? programPage(program) : nounPage(noun);
  program.configureOutput().writeOut?.(page);
}

async function topicText(program: Command, words: readonly string[]): Promise<string | undefined> {
  const [name = '', ...more] = words;
  if (more.length > 0) return undefined;
  const { flagsText, helpWidth } = await import('../help/add-help-texts.ts');
  if (name === 'flags') {
    return flagsText(program);
  }
  const { TOPICS } = await import('../help/topics.ts');
  return Object.hasOwn(TOPICS, name) ? TOPICS[name]?.text(helpWidth(program)) : undefined;
}
