import type { Command } from 'commander';
import {
  type ArgumentSpec,
  type CommandDeclaration,
  descriptionOf,
  exitsOf,
} from '../declare/define.ts';
import { GLOBAL_FLAGS } from '../arguments/global-flags.ts';
import { UsageError } from '../../errors.ts';
import { UnknownCommandError } from '../declare/unknown.ts';
import type { Printed } from '../output/all-forms.ts';
import { flagsText, helpWidth } from './add-help-texts.ts';
import { nounPage, programPage } from './man-page.ts';
import { topicPage, TOPICS } from './topics.ts';
import type { FlagSpec } from '../arguments/flags.ts';
import type { Reader } from '../arguments/numbers.ts';
import type { CommandTree } from '../output/others-forms.ts';

/** Prints the help of a command, or a topic. */
export function showHelp(program: Command, words: readonly string[]): void {
  const topic = topicText(program, words);
  if (topic !== undefined) {
    program.configureOutput().writeOut?.(`${topic}\n`);
    return;
  }
  let command = program;
  for (const word of words) {
    const { commands } = command;
    const known = commands.map((each) => each.name());
    const topics = command === program ? ['flags', ...Object.keys(TOPICS)] : [];
    command =
      commands.find((each) => each.name() === word) ?? refuseWord(word, [...topics, ...known]);
  }
  command.help();
}

/** Names the nearest topic, noun or verb, or else the commands of that name. */
function refuseWord(word: string, known: readonly string[]): never {
  throw new UnknownCommandError('help', word, known);
}

function topicText(program: Command, [name = '', ...more]: readonly string[]): string | undefined {
  if (more.length > 0) return undefined;
  if (name === 'flags') return flagsText(program);
  const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  return topic && topicPage(topic, helpWidth(program));
}

/** Prints lectern(1), or the page of a noun. */
export function printManPage(program: Command, [word]: readonly string[]): void {
  const nouns = program.commands;
  const known = nouns.map((each) => each.name());
  const noun = nouns.find((each) => each.name() === word);
  if (word !== undefined && noun === undefined) refuseWord(word, known);
  program.configureOutput().writeOut?.(noun === undefined ? programPage(program) : nounPage(noun));
}

/** A line for each command, with its arguments and flags. */
export function briefText(commands: readonly CommandDeclaration[]): string {
  const everywhere = briefFlags(treeOf({ name: 'lectern', flags: GLOBAL_FLAGS }));
  const lines = commands
    .filter(({ isHidden }) => !isHidden)
    .flatMap((each) => briefLines(treeOf(each), ''));
  return [`every command: ${everywhere}`, ...lines].join('\n');
}

function briefLines(tree: CommandTree, above: string): string[] {
  const path = `${above}${tree.name}`;
  const below = tree.commands.flatMap((each) => briefLines(each, `${path} `));
  if (tree.exit_codes.length === 0 || tree.deprecated !== undefined) return below;
  const args = tree.arguments.map(({ name, required, repeatable }) => {
    const shown = `${name}${repeatable ? '...' : ''}`;
    return required ? `<${shown}>` : `[${shown}]`;
  });
  return [[path, ...args, briefFlags(tree)].filter((each) => each !== '').join(' '), ...below];
}

/** The names of flags that are not deprecated; those that take a value end with an equals sign. */
function briefFlags({ flags }: CommandTree): string {
  const current = flags.filter(({ deprecated }) => deprecated === undefined);
  return current.map(({ name, type }) => (type === 'boolean' ? name : `${name}=`)).join(' ');
}

/** The tree of commands, or the part below the words, as JSON. */
export function treeBelow(
  program: Command,
  commands: readonly CommandDeclaration[],
  words: readonly string[],
): Printed<'help'> {
  if (topicText(program, words) !== undefined) {
    const topic = `lectern help ${words.join(' ')}`;
    throw new UsageError(`${topic} has no JSON form`, `run it without --json: ${topic}`);
  }
  let tree = treeOf({
    name: 'lectern',
    summary: program.description(),
    flags: GLOBAL_FLAGS,
    commands,
  });
  for (const word of words) {
    const known = tree.commands.map((each) => each.name);
    tree = tree.commands.find((each) => each.name === word) ?? refuseWord(word, known);
  }
  return tree;
}

/** A declared command as `lectern help --json` prints it; hidden commands are left out. */
export function treeOf(spec: CommandDeclaration): CommandTree {
  const { name, load } = spec;
  const description = descriptionOf(spec);
  const { args = [], flags = {}, examples = [], commands = [] } = spec;
  return {
    name,
    ...summaryOf(spec, spec.summary ?? description),
    description,
    arguments: args.map(argumentOf),
    flags: Object.entries(flags).map(([notation, given]) =>
      flagOf(notation, typeof given === 'string' ? { help: given } : given),
    ),
    exit_codes: load === undefined ? [] : exitsOf(spec),
    examples,
    commands: commands.filter(({ isHidden }) => !isHidden).map(treeOf),
  };
}

function argumentOf({ name, help = '', choices }: ArgumentSpec): CommandTree['arguments'][number] {
  return {
    name: name.replace(/[<>[\].]/g, ''),
    summary: help,
    required: name.startsWith('<'),
    repeatable: name.includes('...'),
    choices: choices ?? null,
  };
}

function flagOf(notation: string, spec: FlagSpec): CommandTree['flags'][number] {
  const [, short, name = ''] = /^(?:(-\w), )?(--[\w-]+)/.exec(notation) ?? [];
  const isSwitch = name.length + (short === undefined ? 0 : 4) === notation.length;
  return {
    name,
    short: short ?? null,
    ...summaryOf(spec, spec.help),
    type: isSwitch ? 'boolean' : ((spec.parse as Partial<Reader>)?.type ?? 'string'),
    default: spec.default ?? (isSwitch ? false : null),
    choices: spec.choices ?? null,
    repeatable: spec.repeat === true || notation.includes('...'),
    required: spec.required === true,
  };
}

function summaryOf({ deprecated }: { readonly deprecated?: string }, summary: string) {
  return deprecated === undefined
    ? { summary }
    : { summary: `deprecated: ${deprecated}`, deprecated };
}
