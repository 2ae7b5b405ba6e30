import { Command, type Option } from 'commander';
import { oneOf } from '../validator/nearest.ts';
import { number } from './arguments/numbers.ts';
import { addHelp, refuseUnknown } from './commands/group.ts';
import { UsageError } from '../errors.ts';
import type { GlobalOptions, Runtime } from './runtime.ts';

/** Adds a noun to the tree, under its summary. */
type Register = (
  program: Command,
  runtime: Runtime,
  summary: string,
  build: typeof buildProgram,
) => void;

/** The command tree on one screen. Only the noun that is called is loaded. */
const NOUNS: readonly {
  name: string;
  summary: string;
  load: () => Promise<{ register: Register }>;
}[] = [
  {
    name: 'launch',
    summary: 'decode launches, keep them by name, ask what answers',
    load: () => import('./commands/launch.ts'),
  },
  {
    name: 'key',
    summary: 'keep tool API keys by name; they submit grades only',
    load: () => import('./commands/key.ts'),
  },
  {
    name: 'storage',
    summary: 'read, compare and change the JSON rows',
    load: () => import('./commands/storage.ts'),
  },
  {
    name: 'files',
    summary: "list, upload, download and delete a row's files",
    load: () => import('./commands/files.ts'),
  },
  {
    name: 'grade',
    summary: 'submit grades; every attempt is kept',
    load: () => import('./commands/grade.ts'),
  },
  {
    name: 'provision',
    summary: 'tell the service that a course level is ready',
    load: () => import('./commands/provision.ts'),
  },
  {
    name: 'validate',
    summary: 'check payloads offline against the contract',
    load: () => import('./commands/validate.ts'),
  },
  {
    name: 'explain',
    summary: "the contract's limits, errors and codes, from the terminal",
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'emulator',
    summary: 'the whole service on loopback',
    load: () => import('./commands/emulator.ts'),
  },
  {
    name: 'doctor',
    summary: 'where things are kept, and what is wrong with them',
    load: () => import('./commands/doctor.ts'),
  },
  {
    name: 'demo',
    summary: 'a tour: the main jobs against a fresh emulator',
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'completion',
    summary: 'completion for bash, zsh and fish',
    load: () => import('./commands/completion.ts'),
  },
];

/** Builds the tree for one call: every noun by name and summary, the one that is called whole. */
export async function buildProgram(argv: readonly string[], runtime: Runtime): Promise<Command> {
  const program = new Command('lectern')
    .description('Work with the rows, files and grades of a course tool, from the terminal.')
    .version(__VERSION__, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .exitOverride()
    .configureOutput(quietOutput(runtime))
    .configureHelp({ showGlobalOptions: true })
    .allowExcessArguments()
    .action(() => {
      const [given] = program.args;
      const known = NOUNS.map((noun) => noun.name);
      if (given !== undefined) refuseUnknown(given, known);
      // Help is no document.
      if (program.opts<GlobalOptions>().json) {
        throw new UsageError('lectern needs a command', oneOf(known));
      }
      program.help();
    });
  addGlobalOptions(program);
  program.on('option:no-color', () => runtime.disableColor());
  const called = calledNoun(argv, program.options);
  for (const { name, summary, load } of NOUNS) {
    if (name === called) (await load()).register(program, runtime, summary, buildProgram);
    else program.command(name).summary(summary).description(summary);
  }
  addHelp(program);
  refuseExcess(program);
  return program;
}

/** A group lets unknown words through, to name the nearest command; its commands must not inherit that. */
function refuseExcess(command: Command): void {
  for (const child of command.commands) {
    if (child.commands.length === 0) child.allowExcessArguments(false);
    else refuseExcess(child);
  }
}

function addGlobalOptions(program: Command): void {
  program
    .option('-l, --launch <name|file>', 'the launch to use (env LECTERN_LAUNCH)')
    .option('-k, --api-key <name>', 'a saved tool API key, by name; grades only')
    .option('--url <url>', 'call this opaque URL; {member} marks the member of a grade address')
    .option('--json', 'JSON on standard output; a line each for what comes in turn')
    .option('-y, --yes', 'answer every question with yes')
    .option(
      '--timeout <seconds>',
      'give up on a call after this long',
      number({ above: 0, to: 86_400 }),
    )
    .option('--emulator <url|dir>', 'a running emulator (env LECTERN_EMULATOR)')
    .option('--no-color', 'no colour (env NO_COLOR)')
    .option('--wide', 'tables whole, however wide')
    .option('-q, --quiet', 'errors only on standard error')
    .option('-v, --verbose', 'show each request and its answer');
}

/** The first argument that is no flag and no flag's value; after `help`, the one it asks about. */
function calledNoun(argv: readonly string[], flags: readonly Option[]): string | undefined {
  const withValue = flags
    .filter((flag) => flag.required)
    .flatMap(({ short, long }) => [short, long]);
  for (let index = 0; index < argv.length; index += 1) {
    const argument = argv[index] as string;
    if (argument === '--') return argv[index + 1];
    if (withValue.includes(argument)) index += 1;
    else if (!argument.startsWith('-') && argument !== 'help') return argument;
  }
  return undefined;
}

/** Errors are printed by `run`, once and in one form; only help and version are written here. */
function quietOutput(runtime: Runtime) {
  return {
    writeOut: (text: string): void => void runtime.stdout.write(text),
    writeErr: (): void => {},
    outputError: (): void => {},
    getOutHelpWidth: () => Math.min(runtime.stdout.columns, 100),
    getErrHelpWidth: () => Math.min(runtime.stderr.columns, 100),
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  };
}
