import type { Command } from 'commander';
import { EXIT_MEANINGS } from '../exit-codes.ts';
import { wrapLines } from '../output/wrap.ts';
import { exitsOf, HELP } from './examples.ts';
import { TOPICS } from './topics.ts';

const WIDTH = 80;

/** Puts examples, exit codes and the way to more below the help of every command. */
export function addHelpTexts(program: Command): void {
  const topics = ['flags', ...Object.keys(TOPICS)].join(', ');
  program.addHelpText(
    'after',
    `\n${wrapLines([`Topics: lectern help ${topics}`], WIDTH).join('\n')}`,
  );
  for (const command of program.commands) addBelow(command, []);
}

function addBelow(command: Command, before: readonly string[]): void {
  const words = [...before, command.name()];
  command.addHelpText('after', `\n${helpText(words.join(' '))}`);
  for (const child of command.commands) addBelow(child, words);
}

function helpText(path: string): string {
  const flags = 'Global flags: lectern help flags';
  if (!Object.hasOwn(HELP, path)) return flags;
  const { examples } = HELP[path] as (typeof HELP)[string];
  const meanings = exitsOf(path).map((code) => {
    const lines = wrapLines([EXIT_MEANINGS[code] ?? ''], WIDTH - INDENT.length);
    return `${String(code).padStart(5)}  ${lines.join(`\n${INDENT}`)}`;
  });
  return [
    'Examples:',
    ...examples.map((example) => `  ${example}`),
    '',
    'Exit codes:',
    ...meanings,
    '',
    flags,
  ].join('\n');
}

const INDENT = ' '.repeat(7);

/** The flags of every command, as `lectern help flags` prints them. */
export function flagsText(program: Command): string {
  const helper = program.createHelp();
  helper.prepareContext({ helpWidth: WIDTH });
  const width = helper.padWidth(program, helper);
  const lines = helper
    .visibleOptions(program)
    .map((flag) =>
      helper.formatItem(helper.optionTerm(flag), width, helper.optionDescription(flag), helper),
    );
  return `Every command takes these, before or after its own:\n\n${lines.join('\n')}`;
}
