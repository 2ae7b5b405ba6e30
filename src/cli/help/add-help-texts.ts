import type { Command } from 'commander';
import { EXIT_MEANINGS } from '../exit-codes.ts';
import { exitsOf, HELP } from './examples.ts';
import { fill, items } from './layout.ts';
import { TOPICS } from './topics.ts';

const WIDEST = 80;

/** How wide help texts are: as the terminal, but no wider than is read with ease. */
export function helpWidth(program: Command): number {
  return Math.min(program.configureOutput().getOutHelpWidth?.() ?? WIDEST, WIDEST);
}

/** Puts examples, exit codes and the way to more below the help of every command. */
export function addHelpTexts(program: Command): void {
  const topics = ['flags', ...Object.keys(TOPICS)].join(', ');
  const width = helpWidth(program);
  program.addHelpText('after', `\n${fill(`Topics: lectern help ${topics}`, width)}`);
  for (const command of program.commands) addBelow(command, [], width);
}

function addBelow(command: Command, before: readonly string[], width: number): void {
  const words = [...before, command.name()];
  command.addHelpText('after', `\n${helpText(words.join(' '), width)}`);
  for (const child of command.commands) addBelow(child, words, width);
}

function helpText(path: string, width: number): string {
  const flags = 'Global flags: lectern help flags';
  if (!Object.hasOwn(HELP, path)) return flags;
  const { examples } = HELP[path] as (typeof HELP)[string];
  const meanings = exitsOf(path).map(
    (code) => [String(code).padStart(5), EXIT_MEANINGS[code] ?? ''] as const,
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

/** The flags of every command, as `lectern help flags` prints them. */
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
