import type { Command } from 'commander';
import { exitMeaning } from '../exit-codes.ts';
import { declarationOf, exitsOf } from '../declare/define.ts';
import { fill, items } from './layout.ts';
import { TOPICS } from './topics.ts';

const WIDEST = 80;

/** The width of help texts: that of the terminal, up to a readable maximum. */
export function helpWidth(program: Command): number {
  return Math.min(program.configureOutput().getOutHelpWidth?.() ?? WIDEST, WIDEST);
}

/** Adds examples, exit codes and the way to more help below the help of every command. */
export function addHelpTexts(program: Command): void {
  const topics = ['flags', ...Object.keys(TOPICS)].join(', ');
  const width = helpWidth(program);
  program.addHelpText('after', `\n${fill(`Topics: lectern help ${topics}`, width)}`);
  for (const command of program.commands) addBelow(command, width);
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
