import { Command, Help, type Option } from 'commander';
import { closest, oneOfWords } from '../validator/nearest.ts';
import { number } from './arguments/numbers.ts';
import { refuseUnknown, refuseUnknownFlag, UnknownCommandError } from './commands/group.ts';
import { pathOf } from './arguments/command-path.ts';
import { addHelp } from './commands/help.ts';
import { UsageError } from '../errors.ts';
import type { GlobalOptions, Runtime } from './runtime.ts';

/** Adds a noun to the tree, under its summary. */
type Register = (
  program: Command,
  runtime: Runtime,
  summary: string,
  build: typeof buildProgram,
) => void;

/** The command tree on one screen. Only the called noun is loaded. */
const NOUNS: readonly {
  name: string;
  group: 'Course data' | 'Develop and test' | 'lectern itself';
  summary: string;
  load: () => Promise<{ register: Register }>;
}[] = [
  {
    name: 'launch',
    group: 'Course data',
    summary: 'decode launches, save them by name, check their URLs',
    load: () => import('./commands/launch.ts'),
  },
  {
    name: 'key',
    group: 'Course data',
    summary: 'save tool API keys by name (for grade submission only)',
    load: () => import('./commands/key.ts'),
  },
  {
    name: 'storage',
    group: 'Course data',
    summary: 'read, compare and change JSON rows',
    load: () => import('./commands/storage.ts'),
  },
  {
    name: 'files',
    group: 'Course data',
    summary: "list, upload, download and delete a row's files",
    load: () => import('./commands/files.ts'),
  },
  {
    name: 'grade',
    group: 'Course data',
    summary: 'submit grades and keep a record of every attempt',
    load: () => import('./commands/grade.ts'),
  },
  {
    name: 'ledger',
    group: 'Course data',
    summary: "keep attempts and runs in a team's PostgreSQL",
    load: () => import('./commands/ledger.ts'),
  },
  {
    name: 'provision',
    group: 'Course data',
    summary: 'mark a course level as provisioned',
    load: () => import('./commands/provision.ts'),
  },
  {
    name: 'validate',
    group: 'Develop and test',
    summary: 'validate payloads offline against the contract',
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'explain',
    group: 'Develop and test',
    summary: 'explain the limits, errors and codes of the contract',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'emulator',
    group: 'Develop and test',
    summary: 'run and control a local emulator of the service',
    load: () => import('./commands/emulator.ts'),
  },
  {
    name: 'doctor',
    group: 'lectern itself',
    summary: 'check the installation, its files and its environment',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'demo',
    group: 'lectern itself',
    summary: 'run the main commands against a temporary emulator',
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'completion',
    group: 'lectern itself',
    summary: 'generate completion scripts for bash, zsh and fish',
    load: () => import('./commands/completion.ts'),
  },
];

/**
 * Builds the tree for one call: every noun with its summary, and all commands of the called noun.
 * `writeHelp` gets help and version.
 */
export async function buildProgram(
  argv: readonly string[],
  runtime: Runtime,
  writeHelp: (text: string) => void = (text) => void runtime.stdout.write(text),
): Promise<Command> {
  const version = argv.includes('--json') ? JSON.stringify({ version: __VERSION__ }) : __VERSION__;
  const program = new Command('lectern')
    .description('Work with the rows, files and grades of a course tool, from the terminal.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput(quietOutput(runtime, writeHelp))
    .configureHelp({ minWidthToWrap: NARROWEST_HELP, formatHelp: commandsFirst })
    .allowExcessArguments()
    // So that a misspelt command is told before the flags behind it; an unknown flag alone still is.
    .allowUnknownOption()
    .action(() => {
      const [given] = program.args;
      const known = NOUNS.map((noun) => noun.name);
      if (given !== undefined) refuseUnknown(given, known, program);
      // Help is not a JSON document.
      if (program.opts<GlobalOptions>().json) {
        throw new UsageError('lectern needs a command', oneOfWords(known));
      }
      program.help();
    });
  addGlobalOptions(program);
  program.on('option:no-color', () => runtime.disableColor());
  const called = calledNoun(argv, program.options);
  for (const { name, group, summary, load } of NOUNS) {
    if (name === called) (await load()).register(program, runtime, summary, buildProgram);
    else program.command(name).summary(summary).description(summary);
    program.commands.at(-1)?.helpGroup(`${group}:`);
  }
  addHelp(program);
  program.commands.at(-1)?.helpGroup('lectern itself:');
  refuseExcess(program);
  if (argv.some((word) => HELP_WORDS.includes(word))) {
    const { addHelpTexts } = await import('./help/add-help-texts.ts');
    addHelpTexts(program);
  }
  return program;
}

/** The program's help has its commands first and its flags last. */
function commandsFirst(command: Command, helper: Help): string {
  const text = new Help().formatHelp.call(helper, command, helper);
  if (command.parent !== null) return text;
  const start = text.indexOf('Options:\n');
  const end = text.indexOf('\n\n', start) + 2;
  return `${text.slice(0, start)}${text.slice(end)}\n${text.slice(start, end - 1)}`;
}

/** With one of them help may be asked for, which nobody else waits for. */
const HELP_WORDS = ['help', '-h', '--help'];

/** A group accepts unknown words so that it can suggest a command; its commands must not inherit that. */
function refuseExcess(command: Command): void {
  for (const child of command.commands) {
    if (child.commands.length > 0) refuseExcess(child);
    else refuseFlags(endFlags(child.allowExcessArguments(false)));
  }
}

/** Commander takes a `-h` after `--` for a flag, where an unknown flag stands before. */
function endFlags(command: Command): Command {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (argv) => {
    const { operands, unknown } = parse(argv);
    const end = unknown.indexOf('--');
    if (end < 0) return { operands, unknown };
    return { operands: [...operands, ...unknown.slice(end + 1)], unknown: unknown.slice(0, end) };
  };
  return command;
}

/** An unknown flag of a verb is refused as one of a group is; Commander's own search knows no beginnings. */
function refuseFlags(command: Command): void {
  Object.assign(command, { unknownOption: (flag: string) => refuseUnknownFlag(flag, command) });
}

function addGlobalOptions(program: Command): void {
  program
    .option('-l, --launch <name|file>', 'the launch to use (env LECTERN_LAUNCH)')
    .option('-k, --api-key <name>', 'name of the saved tool API key to use (grades only)')
    .option(
      '--url <url>',
      'call this URL directly; {member} marks the member segment of a grade URL',
    )
    .option('--json', 'print JSON; streams print one JSON object per line')
    .option('-y, --yes', 'answer yes to every prompt')
    .option('--timeout <seconds>', 'time limit for one call', number({ above: 0, to: 86_400 }))
    .option('--emulator <url|dir>', 'the running emulator to use (env LECTERN_EMULATOR)')
    .option('--ledger <url|name>', 'the shared ledger to use (env LECTERN_LEDGER; grades only)')
    .option('--no-color', 'disable color output (env NO_COLOR)')
    .option('--wide', 'do not fit tables to the terminal width')
    .option('--no-pager', 'print long texts without a pager (env LECTERN_PAGER, PAGER)')
    .option('-q, --quiet', 'print only errors')
    .option('-v, --verbose', 'print each request and response to standard error');
}

/** The noun that is called; after `help`, the one asked about. */
function calledNoun(argv: readonly string[], flags: readonly Option[]): string | undefined {
  return commandWords(argv, flags)[0];
}

/** The arguments that are neither a flag nor a global flag's value, without the word `help` in front. */
function commandWords(argv: readonly string[], flags: readonly Option[]): string[] {
  const withValue = flags
    .filter((flag) => flag.required)
    .flatMap(({ short, long }) => [short, long]);
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] as string;
    if (argument === '--') return [...words, ...argv.slice(index + 1)];
    if (withValue.includes(argument)) index += 1;
    else if (!argument.startsWith('-')) words.push(argument);
  }
  return words[0] === 'help' ? words.slice(1) : words;
}

/** The command line that shows the help of what was called, such as `lectern grade submit --help`. */
export async function helpCommandFor(argv: readonly string[], runtime: Runtime): Promise<string> {
  let command = await buildProgram(argv, runtime);
  for (const word of commandWords(argv, command.options)) {
    const child = command.commands.find((each) => each.name() === word);
    if (child === undefined) break;
    command = child;
  }
  return `${pathOf(command)} --help`;
}

/** The hint for an unknown command: those of any noun that have its name, or nearly so. */
export async function commandHint(error: unknown, runtime: Runtime): Promise<string | undefined> {
  if (!(error instanceof UnknownCommandError) || error.elsewhere === 'none') return undefined;
  const paths: string[][] = [];
  for (const { name } of NOUNS) {
    const program = await buildProgram([name], runtime);
    for (const noun of program.commands) if (noun.name() === name) paths.push(verbsOf(noun));
  }
  const commands = paths.flat();
  const verbs = commands.map((path) => path.slice(path.lastIndexOf(' ') + 1));
  const isNamed = verbs.includes(error.given);
  if (!isNamed && error.elsewhere === 'same') return undefined;
  if (!isNamed && error.hint?.startsWith('did you mean')) return undefined;
  const wanted = isNamed ? error.given : closest(error.given, verbs);
  const found = commands.filter((_, index) => verbs[index] === wanted);
  if (found.length === 0) return undefined;
  return found.length === 1 ? `did you mean ${found[0]}?` : oneOfWords(found);
}

/** The commands below a noun, such as `emulator lms ok`. */
function verbsOf(command: Command): string[] {
  const below = command.createHelp().visibleCommands(command);
  return below.flatMap((each) =>
    each.commands.length > 0 ? verbsOf(each) : pathOf(each).replace('lectern ', ''),
  );
}

/** Descriptions of flags and commands wrap in a column of this width too: at 60 columns of a terminal. */
const NARROWEST_HELP = 20;

/** Errors are printed by `run`, once and in one form; only help and version are written here. */
function quietOutput(runtime: Runtime, writeOut: (text: string) => void) {
  return {
    writeOut,
    writeErr: (): void => {},
    outputError: (): void => {},
    getOutHelpWidth: () => Math.min(runtime.stdout.columns, 100),
    getErrHelpWidth: () => Math.min(runtime.stderr.columns, 100),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  };
}
