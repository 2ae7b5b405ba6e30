import type { Argument, Command, Option } from 'commander';
import type { Runtime } from '../runtime.ts';
import type { Candidate } from './kept.ts';
import { valuesOf } from './values.ts';

/** Prints the completions of the last of `words`, one per line; `program` is the command tree for them. */
export async function runCandidates(
  runtime: Runtime,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const found = await candidates(program, words, runtime);
  await runtime.stdout.write(found.map(({ word, summary }) => `${word}\t${summary}\n`).join(''));
}

/**
 * The completions of the last of `words`, the words of a command line after `lectern`. None for
 * files, which shells complete themselves.
 */
async function candidates(
  program: Command,
  words: readonly string[],
  runtime: Runtime,
): Promise<Candidate[]> {
  const last = words.at(-1) ?? '';
  const place = findPlace(program, words.slice(0, -1));
  const all = await possible(place, last, runtime);
  return all.filter(({ word }) => word.startsWith(last));
}

/** The position of the cursor in the command tree. */
interface Place {
  readonly command: Command;
  /** How many arguments the command has been given. */
  readonly given: number;
  /** The flag whose value is next. */
  readonly flag: Option | undefined;
  readonly isPastFlags: boolean;
  readonly words: readonly string[];
}

function findPlace(program: Command, words: readonly string[]): Place {
  let command = program;
  let given = 0;
  let flag: Option | undefined;
  let isPastFlags = false;
  for (const word of words) {
    if (flag !== undefined) flag = undefined;
    else if (isPastFlags) given += 1;
    else if (word === '--') isPastFlags = true;
    else if (word.startsWith('-') && word !== '-') flag = awaited(command, word);
    else {
      const named =
        given === 0 ? commandsOf(command).find((each) => each.name() === word) : undefined;
      // `help` is followed by the command that it is about.
      if (named?.name() === 'help') continue;
      if (named) command = named;
      else given += 1;
    }
  }
  return { command, given, flag, isPastFlags, words };
}

/** The flag that takes the next word as its value. */
function awaited(command: Command, word: string): Option | undefined {
  const flag = flagsOf(command).find(({ long, short }) => word === long || word === short);
  return flag?.required ? flag : undefined;
}

function commandsOf(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

/** The command's own flags, then those of its parents. */
function flagsOf(command: Command): Option[] {
  const help = command.createHelp();
  // Help lists global flags in one place only; completion offers them with each command.
  help.showGlobalOptions = true;
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

async function possible(at: Place, last: string, runtime: Runtime): Promise<Candidate[]> {
  const { command, given, flag, isPastFlags, words } = at;
  if (flag) return [...(await valueCandidates(at, flag, last, runtime))];
  if (!isPastFlags && last.startsWith('-')) return flagCandidates(at, last, runtime);
  const commands = given === 0 ? commandsOf(command) : [];
  const argument = argumentAt(command, given);
  return [
    ...commands.map((each) => ({ word: each.name(), summary: each.summary() })),
    ...(command.parent === null && words.at(-1) === 'help' ? await topics() : []),
    ...(argument ? await valueCandidates(at, argument, last, runtime) : []),
  ];
}

/** The topics of help. */
async function topics(): Promise<Candidate[]> {
  const { TOPICS } = await import('../help/topics.ts');
  const pages = Object.entries(TOPICS).map(([word, { summary }]) => ({ word, summary }));
  return [{ word: 'flags', summary: 'the flags of every command' }, ...pages];
}

function argumentAt(command: Command, index: number): Argument | undefined {
  const { registeredArguments } = command;
  const lastOne = registeredArguments.at(-1);
  return registeredArguments[index] ?? (lastOne?.variadic ? lastOne : undefined);
}

/** The flags; or, after an equals sign, the values of the flag before it. */
async function flagCandidates(at: Place, last: string, runtime: Runtime): Promise<Candidate[]> {
  const [name = '', value] = last.split('=', 2);
  const flags = flagsOf(at.command);
  if (value === undefined) {
    return flags.map(({ long, short, description }) => ({
      word: long ?? short ?? '',
      summary: description,
    }));
  }
  const flag = flags.find(({ long }) => long === name);
  const begun = last.slice(name.length + 1);
  const values = flag ? await valueCandidates(at, flag, begun, runtime) : [];
  return values.map(({ word, summary }) => ({ word: `${name}=${word}`, summary }));
}

async function valueCandidates(
  { command, words }: Place,
  place: Argument | Option,
  last: string,
  runtime: Runtime,
): Promise<readonly Candidate[]> {
  const { argChoices } = place;
  if (argChoices) return argChoices.map((word) => ({ word, summary: '' }));
  return valuesOf(runtime, { command, place, words, last });
}
