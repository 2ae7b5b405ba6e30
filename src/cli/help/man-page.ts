import type { Argument, Command, Option } from 'commander';
import { CONTRACT_VERSION } from '../../contract/index.ts';
import { declarationOf, exitsOf, pathOf, sentence } from '../declare/define.ts';
import { exitMeaning } from '../exit-codes.ts';
import { type Topic, TOPICS } from './topics.ts';

/*
 * Pages for man(1) in roff, generated from the same command tree and tables as the help. Macros are
 * those of man(7) that groff and mandoc both know.
 */

/** The page of a noun, such as lectern-grade(1). */
export function nounPage(noun: Command): string {
  const verbs = leavesOf(noun);
  const isAlone = verbs.length === 1 && verbs[0] === noun;
  const exits = [...new Set(verbs.flatMap((verb) => exitsOf(declarationOf(verb) ?? {})))].sort(
    (a, b) => a - b,
  );
  return page(noun, [
    section('SYNOPSIS', verbs.map(synopsis)),
    section('DESCRIPTION', isAlone ? body(noun) : escape(sentence(noun.summary()))),
    ...(isAlone
      ? []
      : [
          ...(options(noun).length > 0 ? [section('OPTIONS', options(noun))] : []),
          section(
            'COMMANDS',
            verbs.map((verb) => `.SS ${escape(pathOf(verb))}\n${body(verb)}`),
          ),
        ]),
    section('EXIT STATUS', exitItems(exits)),
    section(
      'SEE ALSO',
      `.BR lectern (1)\nfor the flags that every command takes, exit codes, the environment and JSON.`,
    ),
  ]);
}

/** The page lectern(1): its nouns, the flags of every command, and the topics. */
export function programPage(program: Command): string {
  const nouns = program.createHelp().visibleCommands(program);
  return page(program, [
    section('SYNOPSIS', `.B lectern\n.RI [ options ] \\ command \\ [ arguments ]`),
    section('DESCRIPTION', escape(program.description())),
    section('COMMANDS', nouns.map(nounItem)),
    section('OPTIONS', [
      'Every command takes these, before or after its own.',
      ...options(program),
    ]),
    ...Object.entries(TOPICS).map(([name, topic]) =>
      section(TITLES[name] ?? name.toUpperCase(), topicLines(topic)),
    ),
    section(
      'SEE ALSO',
      nouns
        .filter((noun) => noun.name() !== 'help')
        .map((noun) => `.BR lectern\\-${escape(noun.name())} (1)`)
        .join(',\n'),
    ),
  ]);
}

/** A title that pages of man(1) have in common. */
const TITLES: Readonly<Record<string, string>> = { 'exit-codes': 'EXIT STATUS' };

function topicLines({ text, rows = [] }: Topic): string[] {
  const list = rows.map(([name, meaning]) => item(bold(name.trim()), escape(meaning)));
  return [...(text === undefined ? [] : [prose(text)]), ...list];
}

function page(command: Command, sections: readonly string[]): string {
  const name = pathOf(command).replaceAll(' ', '-');
  const summary = command.summary() || command.description().replace(/\.$/, '');
  return [
    // mandoc requires a date; the contract's is the same in every build.
    `.TH ${escape(name.toUpperCase())} 1 ${CONTRACT_VERSION} "lectern ${escape(__VERSION__)}" "lectern manual"`,
    // No hyphenation and no justification: much of it is to be copied.
    '.nh\n.ad l',
    section('NAME', `${escape(name)} \\- ${escape(summary)}`),
    ...sections,
    '',
  ].join('\n');
}

/** The executable commands of a tree, including the command itself. */
function leavesOf(command: Command): Command[] {
  const below = command.createHelp().visibleCommands(command);
  const own = below.length === 0 || declarationOf(command)?.load !== undefined ? [command] : [];
  return [...own, ...below.filter((each) => each.name() !== 'help').flatMap(leavesOf)];
}

function synopsis(command: Command): string {
  const usage = command.createHelp().commandUsage(command);
  const path = pathOf(command);
  return `.B ${escape(path)}\n${escape(usage.slice(path.length).trim()) || '\\&'}\n.br`;
}

/** The page of a command, without its name. */
function body(command: Command): string {
  const { examples = [] } = declarationOf(command) ?? {};
  return [
    escape(command.description()),
    ...argumentItems(command),
    ...options(command),
    ...(examples.length === 0
      ? []
      : ['.PP', 'Examples:', '.PP', '.RS 4', '.nf', ...examples.map(escape), '.fi', '.RE']),
    '.PP',
    `Exit codes: ${exitsOf(declarationOf(command) ?? {}).join(', ')}.`,
  ].join('\n');
}

function argumentItems(command: Command): string[] {
  const help = command.createHelp();
  return help
    .visibleArguments(command)
    .map((argument: Argument) =>
      item(italic(help.argumentTerm(argument)), escape(help.argumentDescription(argument))),
    );
}

function options(command: Command): string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option: Option) => item(flag(option.flags), escape(help.optionDescription(option))));
}

/** `-l, --launch <name>`: names in bold, values in italics. */
function flag(flags: string): string {
  const at = flags.search(/ [<[]/);
  const names = at < 0 ? flags : flags.slice(0, at);
  const shown = names.split(', ').map(bold).join(', ');
  return at < 0 ? shown : `${shown} ${italic(flags.slice(at + 1).replaceAll(/^<|>$/g, ''))}`;
}

function nounItem(noun: Command): string {
  const own = noun.name() === 'help';
  const head = own ? `.B ${noun.name()}` : `.BR lectern\\-${escape(noun.name())} (1)`;
  return `.TP\n${head}\n${escape(noun.summary())}`;
}

function exitItems(exits: readonly number[]): string {
  return exits.map((exit) => item(bold(String(exit)), escape(exitMeaning(exit)))).join('\n');
}

function section(name: string, lines: string | readonly string[]): string {
  return [`.SH ${escape(name.replaceAll('-', ' '))}`, lines].flat().join('\n');
}

function item(head: string, text: string): string {
  return `.TP\n${head}\n${text}`;
}

/** Paragraphs of text; lines that are indented by four stay unchanged. */
function prose(text: string): string {
  return text
    .split('\n\n')
    .map((block) => {
      const lines = block.split('\n');
      if (!lines.every((each) => each.startsWith('    '))) return lines.map(escape).join('\n');
      return ['.RS 4', '.nf', ...lines.map((each) => escape(each.trim())), '.fi', '.RE'].join('\n');
    })
    .join('\n.PP\n');
}

function bold(text: string): string {
  return `\\fB${escape(text)}\\fR`;
}

function italic(text: string): string {
  return `\\fI${escape(text)}\\fR`;
}

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Escapes roff requests, and keeps hyphens and quotation marks as typed. */
function escape(text: string): string {
  return text
    .replace(/[\\\-'"`^~]/g, (character) => SPECIAL[character] as string)
    .replace(/[^\0-\x7f]/gu, (character) => {
      const code = (character.codePointAt(0) as number).toString(16).toUpperCase();
      return `\\[u${code.padStart(4, '0')}]`;
    })
    .replace(/^\./gm, '\\&.');
}
