import type { Command } from 'commander';
import type { CommandDeclaration } from '../declare/define.ts';
import { GLOBAL_FLAGS } from '../arguments/global-flags.ts';
import { refuseUnknown } from '../declare/unknown.ts';
import type { Context } from '../runtime.ts';
import { printJson } from '../ui.ts';
import { flagsText, helpWidth } from './add-help-texts.ts';
import { nounPage, programPage } from './man-page.ts';
import { TOPICS } from './topics.ts';
import { treeOf } from './tree.ts';

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
      commands.find((each) => each.name() === word) ??
      refuseUnknown(word, [...known, ...topics], program);
  }
  command.help();
}

function topicText(program: Command, [name = '', ...more]: readonly string[]): string | undefined {
  if (more.length > 0) return undefined;
  if (name === 'flags') return flagsText(program);
  return Object.hasOwn(TOPICS, name) ? TOPICS[name]?.text(helpWidth(program)) : undefined;
}

/** Prints lectern(1), or the page of a noun. */
export function printManPage(program: Command, [word]: readonly string[]): void {
  const nouns = program.commands;
  const known = nouns.map((each) => each.name());
  const noun = nouns.find((each) => each.name() === word);
  if (word !== undefined && noun === undefined) refuseUnknown(word, known, program);
  program.configureOutput().writeOut?.(noun === undefined ? programPage(program) : nounPage(noun));
}

/** Prints the tree of commands, or the part below the words, as JSON. */
export async function printTree(
  context: Context,
  program: Command,
  commands: readonly CommandDeclaration[],
  words: readonly string[],
): Promise<void> {
  let tree = treeOf({
    name: 'lectern',
    summary: program.description(),
    flags: GLOBAL_FLAGS,
    commands,
  });
  for (const word of words) {
    const known = tree.commands.map((each) => each.name);
    tree = tree.commands.find((each) => each.name === word) ?? refuseUnknown(word, known, program);
  }
  await printJson<'help'>(context, tree);
}
