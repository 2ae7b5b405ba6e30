import type { Command, Option } from 'commander';
import { quoted } from '../../contract/words.ts';
import { UsageError } from '../../errors.ts';

export type CommandPlace = ReturnType<typeof findPlace>;

/** The position behind the words of a command line, in the command tree. */
export function findPlace(program: Command, words: readonly string[]) {
  let command = program;
  /** How many arguments the command has been given. */
  let given = 0;
  /** The flag whose value is next. */
  let flag: Option | undefined;
  let isPastFlags = false;
  /** The words that are neither flags nor values of flags, those of commands too. */
  const operands: string[] = [];
  /** The flags whose value is a word of its own, each with this word. */
  const values: [Option, string][] = [];
  for (const word of words) {
    if (flag !== undefined) {
      values.push([flag, word]);
      flag = undefined;
    } else if (!isPastFlags && word === '--') isPastFlags = true;
    else if (!isPastFlags && word.startsWith('-') && word !== '-') flag = awaited(command, word);
    else {
      operands.push(word);
      const named = given === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      // `help` is followed by the command that it is about.
      if (named?.name() === 'help') continue;
      if (named) command = named;
      else given += 1;
    }
  }
  return { command, given, operands, flag, isPastFlags, words, values };
}

/** The flag that takes the next word as its value; in `-yl` the last one. */
function awaited(command: Command, word: string): Option | undefined {
  const flags = optionsOf(command);
  const find = (name: string): Option | undefined =>
    flags.find(({ long, short }) => name === long || name === short);
  const flag = find(word);
  if (flag !== undefined || word.startsWith('--')) return flag?.required ? flag : undefined;
  const letters = Array.from(word.slice(1), (letter) => find(`-${letter}`));
  const first = letters.findIndex((each) => each === undefined || each.required);
  return first === letters.length - 1 ? letters[first] : undefined;
}

/** The flags of a command and of its parents, hidden ones too. */
function optionsOf(command: Command): Option[] {
  const own = [...command.options, ...command.createHelp().visibleOptions(command)];
  return command.parent === null ? own : [...own, ...optionsOf(command.parent)];
}

/** The name of a flag, with or without its value: a text with spaces is none. */
const FLAG = /^--[^=\s]*(?=$|=)|^-[^-](?=\S*$)/;

/**
 * Refuses a flag whose value is a flag of the same command line, as in `--comment $UNSET --dry-run`:
 * commander takes it for the value, and it would have no effect. `--comment=--dry-run` is allowed.
 */
export function refuseFlagsAsValues(program: Command, argv: readonly string[]): void {
  const { command, values } = findPlace(program, argv);
  const known = optionsOf(command).flatMap(({ long, short }) => [long, short]);
  for (const [flag, value] of values) {
    const name = FLAG.exec(value)?.[0];
    if (name === undefined || (name !== '--' && !known.includes(name))) continue;
    throw new UsageError(
      `${flag.long} has no value: ${value} after it is a flag`,
      `give ${flag.long} a value; if this is its value, write ${quoted(`${flag.long}=${value}`)}`,
    );
  }
}
