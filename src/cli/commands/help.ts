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
    .action(async (words: readonly string[]) => {
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

async function topicText(program: Command, words: readonly string[]): Promise<string | undefined> {
  const [name = '', ...more] = words;
  if (more.length > 0) return undefined;
  if (name === 'flags') {
    const { flagsText } = await import('../help/add-help-texts.ts');
    return flagsText(program);
  }
  const { TOPICS } = await import('../help/topics.ts');
  return Object.hasOwn(TOPICS, name) ? TOPICS[name]?.text() : undefined;
}
