import type { Command } from 'commander';
import { exitMeaning } from '../exit-codes.ts';
import { declarationOf, exitsOf, commandName } from '../declare/define.ts';
import { fill, items } from './layout.ts';
import { TOPICS } from './topics.ts';

const WIDEST = 80;

/** The width of help texts: that of the terminal, up to a readable maximum. */
export function helpWidth(program: Command): number {
  return Math.min(program.configureOutput().getOutHelpWidth?.() ?? WIDEST, WIDEST);
}

/**
 * Adds examples, exit codes and the way to more help below the help of every command; to that of the
 * command of these words also what `--fields` chooses from.
 */
export async function addHelpTexts(program: Command, words: readonly string[]): Promise<void> {
  const topics = ['flags', ...Object.keys(TOPICS)].join(', ');
  const width = helpWidth(program);
  program.addHelpText('after', `\n${fill(`Topics: lectern help ${topics}`, width)}`);
  const called = commandOf(program, words);
  const fields = await fieldsText(called, width);
  if (fields !== undefined) called.addHelpText('after', fields);
  for (const command of program.commands) addBelow(command, width);
}

function commandOf(command: Command, [word, ...rest]: readonly string[]): Command {
  const child = command.commands.find((each) => each.name() === word);
  return child ? commandOf(child, rest) : command;
}

async function fieldsText(command: Command, width: number): Promise<string | undefined> {
  const list = declarationOf(command)?.list;
  if (list === undefined) return undefined;
  const { fieldsOfList } = await import('../output/fields.ts');
  const { columns, members } = await fieldsOfList(commandName(command), list);
  const names = [
    ['  columns', columns.join(', ')],
    ['  --json', members.join(', ')],
  ] as const;
  const shown = names.filter(([, text]) => text !== '');
  return `\nFields (--fields):\n${items(shown, width)}`;
}

function addBelow(command: Command, width: number): void {
  command.addHelpText('after', `\n${helpText(command, width)}`);
  for (const child of command.commands) addBelow(child, width);
}

function helpText(command: Command, width: number): string {
  const flags = 'Global flags: lectern help flags';
  const spec = declarationOf(command);
  if (spec?.examples === undefined) return flags;
  const { examples } = spec;
  const meanings = exitsOf(spec).map(
    (code) => [String(code).padStart(5), exitMeaning(code)] as const,
  );
  return [
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
    'Exit codes:',
    items(meanings, width),
    '',
    flags,
  ].join('\n');
}

/** The global flags, as `lectern help flags` prints them. */
export function flagsText(program: Command): string {
  const helper = program.createHelp();
  helper.prepareContext({ helpWidth: helpWidth(program) });
  const width = helper.padWidth(program, helper);
  const lines = helper
    .visibleOptions(program)
    .map((flag) =>
      helper.formatItem(helper.optionTerm(flag), width, helper.optionDescription(flag), helper),
    );
  return `Every command takes these, before or after its own:\n\n${lines.join('\n')}`;
}
