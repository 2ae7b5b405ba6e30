import { Command, CommanderError, Help } from 'commander';
import { closest, oneOfWords } from '../contract/nearest.ts';
import {
  type CommandDeclaration,
  type Noun,
  addCommand,
  addFlags,
  NOT_CALLED,
  pathOf,
} from './declare/define.ts';
import { GLOBAL_FLAGS, type GlobalOptions } from './arguments/global-flags.ts';
import { helpCommand } from './commands/help.ts';
import { findPlace } from './declare/place.ts';
import { refuseUnknown, UnknownCommandError } from './declare/unknown.ts';
import { UsageError } from '../errors.ts';
import type { Runtime } from './runtime.ts';

/** Builds the tree for a command line. */
type TreeFor = (words: readonly string[]) => Promise<Command>;

/** The command tree on one screen, by heading. */
const GROUPS = {
  'Course data': {
    launch: 'decode launches, save them by name, check their URLs',
    key: 'save tool API keys by name (for grade submission only)',
    storage: 'read, compare and change JSON rows',
    files: "list, upload, download and delete a row's files",
    grade: 'submit grades and keep a record of every attempt',
    ledger: "keep attempts and runs in a team's PostgreSQL",
    provision: 'mark a course level as provisioned',
  },
  'Develop and test': {
    validate: 'validate payloads offline against the contract',
    explain: 'explain the limits, errors and codes of the contract',
    emulator: 'run and control a local emulator of the service',
    observe: 'run a proxy between a tool and the real service, and report on both',
    init: 'write a project file, lectern.json',
  },
  'lectern itself': {
    doctor: 'check the installation, its files and its environment',
    demo: 'run the main commands against a temporary emulator',
    completion: 'generate completion scripts for bash, zsh, fish, PowerShell',
  },
} as const;

/** Only the called noun is loaded. */
const LOADED: Readonly<Record<string, (treeFor: TreeFor) => Promise<Noun>>> = {
  launch: async () => (await import('./commands/launch.ts')).launchNoun,
  key: async () => (await import('./commands/key.ts')).keyNoun,
  storage: async () => (await import('./commands/storage.ts')).storageNoun,
  files: async () => (await import('./commands/files.ts')).filesNoun,
  grade: async () => (await import('./commands/grade.ts')).gradeNoun,
  ledger: async () => (await import('./commands/ledger.ts')).ledgerNoun,
  provision: async () => (await import('./commands/provision.ts')).provisionNoun,
  validate: async () => (await import('./commands/validate.ts')).validateNoun,
  explain: async () => (await import('./commands/explain.ts')).explainNoun,
  emulator: async () => (await import('./commands/emulator.ts')).emulatorNoun,
  observe: async () => (await import('./commands/observe.ts')).observeNoun,
  init: async () => (await import('./commands/init.ts')).initNoun,
  doctor: async () => (await import('./commands/doctor.ts')).doctorNoun,
  demo: async () => (await import('./commands/demo.ts')).demoNoun,
  completion: async (tree) => (await import('./commands/completion.ts')).completionNoun(tree),
};

const NOUNS = Object.entries(GROUPS).flatMap(([group, nouns]) =>
  Object.entries(nouns).map(([name, summary]) => ({ name, group, summary })),
);

async function loadNoun(name: string, treeFor: TreeFor): Promise<Noun> {
  return (await LOADED[name]?.(treeFor)) ?? NOT_CALLED;
}

export async function loadTree(): Promise<CommandDeclaration[]> {
  const treeFor: TreeFor = () => Promise.reject(new Error('the tree is only listed'));
  return Promise.all(
    NOUNS.map(async ({ name, summary }) => ({ ...(await loadNoun(name, treeFor)), name, summary })),
  );
}

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
    .helpCommand(false)
    .exitOverride()
    .configureOutput(quietOutput(runtime, writeHelp))
    .configureHelp({ minWidthToWrap: NARROWEST_HELP, formatHelp: commandsFirst })
    .allowExcessArguments()
    // So that a misspelt command is reported before the flags after it; an unknown flag alone is
    // still an error.
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
  addFlags(program, GLOBAL_FLAGS);
  program.on('option:no-color', () => runtime.disableColor());
  const treeFor: TreeFor = (words) => buildProgram(words, runtime);
  const [called, ...below] = commandWords(program, argv);
  const isHelp = argv.some((word) => HELP_WORDS.includes(word));
  for (const { name, group, summary } of NOUNS) {
    const noun = name === called ? await loadNoun(name, treeFor) : NOT_CALLED;
    const spec = { ...noun, name, summary };
    addCommand(program, spec, runtime, isHelp ? [] : below).helpGroup(`${group}:`);
  }
  addCommand(program, helpCommand(program, loadTree), runtime).helpGroup('lectern itself:');
  if (isHelp) {
    const { addHelpTexts } = await import('./help/add-help-texts.ts');
    await addHelpTexts(program, commandWords(program, argv));
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

/** The words that ask for help; without them no help texts are loaded. */
const HELP_WORDS = ['help', '-h', '--help'];

/** The arguments that are neither flags nor values of global flags, without a leading `help`. */
function commandWords(program: Command, argv: readonly string[]): readonly string[] {
  const { operands } = findPlace(program, argv);
  return operands[0] === 'help' ? operands.slice(1) : operands;
}

/**
 * The command line that shows the help of the called command, such as `lectern grade submit
 * --help`.
 */
export async function helpCommandFor(argv: readonly string[], runtime: Runtime): Promise<string> {
  return `${pathOf(await calledCommand(argv, runtime))} --help`;
}

async function calledCommand(argv: readonly string[], runtime: Runtime): Promise<Command> {
  return findPlace(await buildProgram(argv, runtime), argv).command;
}

/** The hint for a missing argument: its description. */
export async function argumentHint(
  error: unknown,
  argv: readonly string[],
  runtime: Runtime,
): Promise<string | undefined> {
  const isMissing = error instanceof CommanderError && error.code === 'commander.missingArgument';
  if (!isMissing) return undefined;
  const { registeredArguments } = await calledCommand(argv, runtime);
  const missing = registeredArguments.find((each) => error.message.includes(`'${each.name()}'`));
  return missing && `${missing.name()}: ${missing.description}`;
}

/** Names of pages and of former commands. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  'emulator summary': 'emulator state',
  'emulator traffic': 'emulator requests',
  'emulator grades': 'emulator show grades',
  'emulator events': 'emulator requests --follow',
};

/**
 * The hint for an unknown command: the one of that name below the same noun, those of any noun, or a
 * similar one. Undefined where the one that the error names is better.
 */
export async function commandHint(error: unknown): Promise<string | undefined> {
  if (!(error instanceof UnknownCommandError)) return undefined;
  const { noun, given, hint } = error;
  const commands = (await loadTree()).flatMap((each) => commandsBelow(each));
  const called = (verb = ''): string[] => commands.filter((path) => path.endsWith(` ${verb}`));
  const named = called(given);
  const own = OTHER_NAMES[`${noun} ${given}`] ?? named.find((path) => path.startsWith(`${noun} `));
  if (own !== undefined) return `did you mean ${own}?`;
  const isSimilar = hint?.startsWith('did you mean') === true;
  const isNoun = NOUNS.some(({ name }) => name.startsWith(given) || given.startsWith(name));
  if (isSimilar && (noun !== '' || named.length === 0 || isNoun)) return undefined;
  const verbs = commands.map((path) => path.slice(path.lastIndexOf(' ') + 1));
  const matching = named.length > 0 || noun !== '' ? named : called(closest(given, verbs));
  if (matching.length === 0) return undefined;
  return matching.length === 1 ? `did you mean ${matching[0]}?` : oneOfWords(matching);
}

/** The commands below a noun that help lists, such as `emulator lms ok`. */
function commandsBelow({ name, commands = [] }: CommandDeclaration): string[] {
  const shown = commands.filter(
    ({ isHidden, deprecated }) => !isHidden && deprecated === undefined,
  );
  return shown.flatMap((each) =>
    (each.commands ? commandsBelow(each) : [each.name]).map((path) => `${name} ${path}`),
  );
}

/**
 * Descriptions of flags and commands wrap even in a column of this width, in a terminal of 60
 * columns.
 */
const NARROWEST_HELP = 20;

/** `run` prints errors, once and in one form; only help and version are written here. */
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
