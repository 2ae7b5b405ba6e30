import { type Command, InvalidArgumentError, Option } from 'commander';
import { oneOfWords } from '../../contract/nearest.ts';
import type { GlobalOptions } from '../arguments/global-flags.ts';
import { fieldsFlag, type ListSpec } from '../arguments/fields.ts';
import type { FlagSpec, Flags, OptionsOf, Parsed } from '../arguments/flags.ts';
import { UsageError } from '../../errors.ts';
import type { ExitCode } from '../exit-codes.ts';
import { policyOf } from '../policy.ts';
import { type Context, type Fields, type Project, type Runtime, copyWith } from '../runtime.ts';
import type { Result, Results } from '../output/result.ts';
import { refuseUnknown, refuseUnknownFlag } from './unknown.ts';

export interface ArgumentSpec {
  /** Commander's notation: `<required>`, `[optional]`, `[many...]`. */
  readonly name: string;
  readonly help?: string;
  readonly parse?: (text: string) => unknown;
  readonly choices?: readonly string[];
}

/** The declaration of a command, which help, manual pages, completion and the parser read. */
export interface CommandDeclaration {
  readonly name: string;
  /** One line, for the list of commands above. */
  readonly summary?: string;
  /** Sentences for the help of the command itself; defaults to the summary, of a verb as a sentence. */
  readonly description?: string;
  /** Replaces the line generated from arguments and flags. */
  readonly usage?: string;
  readonly args?: readonly ArgumentSpec[];
  readonly flags?: Flags;
  /** Complete command lines; a test runs each of them. */
  readonly examples?: readonly string[];
  /** The exit codes besides 0 and 2 (usage). */
  readonly exits?: readonly ExitCode[];
  readonly commands?: readonly CommandDeclaration[];
  /** Its heading in the list of commands. */
  readonly group?: string;
  readonly isHidden?: boolean;
  /** What to use instead. The command will be removed in the next major version; help leaves it out. */
  readonly deprecated?: string;
  /** The command and those below it work whatever the project file says. */
  readonly ignoresProject?: boolean;
  /** Whether the command would change something at a service, which the policy `read` refuses. */
  readonly changes?: (options: never, ...args: never[]) => boolean;
  /** The list or stream that it prints, which gives it the flag `--fields`. */
  readonly list?: ListSpec;
  /** Loads the function of the command; a command without it only has subcommands. */
  readonly load?: () => Promise<Run>;
  /** Changes to commander's command that a declaration cannot express. */
  readonly extend?: (command: Command, runtime: Runtime) => void;
}

/** A noun, without the fields that program.ts lists. */
export type Noun = Omit<CommandDeclaration, 'name' | 'summary'>;

/** Any command's function: `never`, since each has its own options and arguments. */
type Run = (context: Context<never>, ...args: never[]) => Ran;

/** What a verb returns; one that has printed by itself returns nothing. */
type Ran = Promise<Results | void> | AsyncIterable<Result>;

type ArgumentsOf<Args extends readonly ArgumentSpec[]> = {
  -readonly [Index in keyof Args]: Args[Index]['name'] extends `<${string}...>`
    ? [Parsed<Args[Index]>, ...Parsed<Args[Index]>[]]
    : Args[Index]['name'] extends `${string}...]`
      ? Parsed<Args[Index]>[]
      : Args[Index]['name'] extends `[${string}`
        ? Parsed<Args[Index]> | undefined
        : Parsed<Args[Index]>;
};

/** Declares a command; its function must take the declared options and arguments. */
export function defineCommand<
  const Args extends readonly ArgumentSpec[] = [],
  const Table extends Flags = Record<never, string>,
>(
  spec: Omit<CommandDeclaration, 'name' | 'args' | 'flags' | 'changes' | 'list' | 'load'> & {
    readonly list?: ListSpec<OptionsOf<Table>, ArgumentsOf<Args>[0]>;
    readonly args?: Args;
    readonly flags?: Table;
    readonly changes?: (options: OptionsOf<Table>, ...args: ArgumentsOf<Args>) => boolean;
    readonly load: () => Promise<
      (context: Context<OptionsOf<Table>>, ...args: ArgumentsOf<Args>) => Ran
    >;
  },
): Unnamed {
  const flags = { ...spec.flags, ...(spec.list && fieldsFlag(spec.list)) };
  // No single function type takes the arguments of every command.
  return { ...spec, flags } as Unnamed;
}

type Unnamed = Omit<CommandDeclaration, 'name'>;

/** Commands by their names, in the order of the help. */
export function verbs(commands: Readonly<Record<string, Unnamed>>): CommandDeclaration[] {
  return Object.entries(commands).map(([name, each]) => Object.assign({ name }, each));
}

/** For `changes`: a command that sends nothing with `--dry-run`. */
export function unlessDryRun({ dryRun }: { readonly dryRun?: boolean }): boolean {
  return dryRun !== true;
}

export function descriptionOf({ summary = '', description, load }: CommandDeclaration): string {
  return description ?? (load === undefined ? summary : sentence(summary));
}

export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

/** A command that is only listed: another one is called. */
export const NOT_CALLED = {
  args: [],
  flags: {},
  commands: [],
  load: (): Promise<never> => Promise.reject(new Error('this command is not called')),
};

/** The declaration behind each command of the tree. */
const declarations = new WeakMap<Command, CommandDeclaration>();

export function declarationOf(command: Command): CommandDeclaration | undefined {
  return declarations.get(command);
}

/** The exit codes of a command, in their order. */
export function exitsOf({ exits = [] }: Pick<CommandDeclaration, 'exits'>): number[] {
  return [...new Set<number>([0, 2, ...exits])].sort((a, b) => a - b);
}

/**
 * Adds a command and its subcommands to commander's tree; if the words behind name one of them, those beside
 * it have only their names.
 */
export function addCommand(
  parent: Command,
  spec: CommandDeclaration,
  runtime: Runtime,
  [verb, ...below]: readonly string[] = [],
): Command {
  const { name, summary = '', usage, args = [], commands = [] } = spec;
  // `parent.command()` rather than `addCommand()`: the children keep exitOverride and the output.
  const command = parent.command(name, { hidden: spec.isHidden ?? spec.deprecated !== undefined });
  command.summary(summary).description(descriptionOf(spec));
  if (spec.group !== undefined) command.helpGroup(`${spec.group}:`);
  if (usage !== undefined) command.usage(usage);
  for (const each of args) addArgument(command, each);
  addFlags(command, spec.flags ?? {});
  const { ignoresProject = false } = spec;
  const isCalled = commands.some((each) => each.name === verb);
  for (const each of commands) {
    const declared = isCalled && each.name !== verb ? { ...each, ...NOT_CALLED } : each;
    addCommand(command, { ignoresProject, ...declared }, runtime, below);
  }
  declarations.set(command, spec);
  spec.extend?.(command, runtime);
  if (spec.load === undefined) return needCommand(command);
  refuseUnknownFlags(command.allowExcessArguments(false));
  if (commands.length > 0) command.allowExcessArguments();
  command.action(async (...words: unknown[]) => {
    const called = words.slice(0, -2) as never[];
    const [excess] = command.args.slice(args.length);
    if (excess !== undefined && commands.length > 0) {
      refuseUnknown(excess, namesBelow(command), command);
    }
    if (spec.deprecated !== undefined) warnOf(command, pathOf(command), spec.deprecated);
    // With --json standard error has a failed command's error alone, which programs parse.
    const { json } = command.optsWithGlobals<GlobalOptions>();
    if (!json) await printDeprecations(command, runtime);
    const run = (await spec.load?.()) as (context: Context, ...args: unknown[]) => Ran;
    const project = spec.ignoresProject ? undefined : await findProject(runtime);
    const policy = spec.ignoresProject ? policyOf({ env: {} }) : policyOf(runtime, project);
    const options = command.optsWithGlobals<never>();
    const changes = spec.changes?.(options, ...called) ?? false;
    const onlyEmulator = changes && policy.value === 'read';
    const fields = await fieldsOf(command, spec, options, called[0]);
    const context = copyWith(runtime, { options, project, policy, onlyEmulator, fields });
    const results = await run(context, ...called);
    if (results) await (await import('../output/print.ts')).printResults(context, results);
    if (json) await printDeprecations(command, runtime);
  });
  return command;
}

/** What `--fields` chose, if it was given. */
async function fieldsOf(
  command: Command,
  { list }: CommandDeclaration,
  options: { readonly fields?: readonly string[] },
  argument: unknown,
): Promise<Fields | undefined> {
  const { fields } = options;
  if (list === undefined || fields === undefined) return undefined;
  const { chooseFields } = await import('../output/fields.ts');
  return chooseFields(commandName(command), list, { ...options, fields }, argument);
}

/** The project file of the current folder; if it is invalid, the command ends. */
export async function findProject(runtime: Runtime): Promise<Project | undefined> {
  const file = runtime.projectFile();
  if (file === undefined) return undefined;
  const { readProject } = await import('../project.ts');
  return readProject(runtime, file);
}

function addArgument(command: Command, { name, help, parse, choices }: ArgumentSpec): void {
  const argument = command.createArgument(name, help);
  const read = readerOf(name, parse);
  if (argument.variadic && read) {
    argument.argParser((text, before: unknown[] = []) => [...before, read(text)]);
  } else if (read) argument.argParser(read);
  if (choices !== undefined) argument.choices(choices);
  command.addArgument(argument);
}

/** Adds flags to a command; a text is the help of a flag with nothing else. */
export function addFlags(command: Command, flags: Flags): void {
  for (const [notation, given] of Object.entries(flags)) {
    const spec: FlagSpec = typeof given === 'string' ? { help: given } : given;
    if (spec.heading !== undefined) command.optionsGroup(spec.heading);
    const option = optionOf(notation, spec);
    watchFlag(command, option, spec);
    command.addOption(option);
  }
}

/** Paths and names: not empty, as an unset variable is, nor with a `~` that no shell replaced. */
const NAMED = /[<[](?:file|folder|dir|path|claim|from|to)(?:\.\.\.)?[>\]]$/;

const UNREPLACED =
  'a shell replaces ~ only at the start of a word: use --flag ~/path, or ./~/path.';

function readerOf(notation: string, parse?: (text: string) => unknown) {
  if (!NAMED.test(notation)) return parse;
  return (text: string, before?: unknown): unknown => {
    if (before !== undefined) throw new InvalidArgumentError('it is given twice.');
    if (text === '') throw new InvalidArgumentError('it is empty, as an unset variable would be.');
    if (/^~[/\\]/.test(text)) throw new InvalidArgumentError(UNREPLACED);
    return parse ? parse(text) : text;
  };
}

function optionOf(notation: string, spec: FlagSpec): Option {
  const { help, parse, choices, repeat, conflicts, into } = spec;
  const option = new Option(notation, help);
  if (choices !== undefined) option.choices(choices);
  const read = readerOf(notation, parse);
  if (repeat) option.argParser((text, before: unknown[] = []) => [...before, read?.(text) ?? text]);
  else if (read !== undefined) option.argParser(read);
  if (spec.default !== undefined) option.default(spec.default);
  if (spec.required) option.makeOptionMandatory();
  if (conflicts !== undefined) option.conflicts([...conflicts]);
  if (into !== undefined) option.attributeName = () => into;
  return option;
}

/** A command that only has subcommands is a usage error, which lists them. */
function needCommand(command: Command): Command {
  return command
    .allowExcessArguments()
    .allowUnknownOption()
    .action(() => {
      const known = namesBelow(command);
      const [given] = command.args;
      if (given !== undefined) refuseUnknown(given, known, command);
      throw new UsageError(`${pathOf(command)} needs a command`, oneOfWords(known));
    });
}

function namesBelow(command: Command): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name());
}

/**
 * Refuses a verb's unknown flags like those of a group; commander's own suggestions ignore
 * prefixes.
 */
function refuseUnknownFlags(command: Command): void {
  command.showSuggestionAfterError(false).exitOverride((error) => {
    const [, flag] = /^error: unknown option '([^]*)'$/.exec(error.message) ?? [];
    if (flag !== undefined) refuseUnknownFlag(flag, command);
    throw error;
  });
}

/** The warnings of a command line, by the command whose flags they are about. */
const warnings = new WeakMap<Command, Set<string>>();

/** Notes that a command line uses what is deprecated. */
function warnOf(command: Command, what: string, advice: string): void {
  const known = warnings.get(command) ?? new Set();
  warnings.set(command, known);
  known.add(
    `warning: ${what} is deprecated and will be removed in the next major version: ${advice}`,
  );
}

/** Notes each use of a deprecated flag or value, and has the value read as its replacement. */
function watchFlag(command: Command, option: Option, spec: FlagSpec): void {
  const { deprecated, deprecatedValues } = spec;
  const name = option.long ?? option.flags;
  if (deprecated !== undefined) {
    option.hideHelp();
    command.on(`option:${option.name()}`, () => warnOf(command, name, deprecated));
  }
  if (deprecatedValues === undefined) return;
  const read = option.parseArg;
  option.argParser((text: string, before: unknown) => {
    const instead = deprecatedValues[text];
    if (instead !== undefined) warnOf(command, `${name} ${text}`, `use ${name} ${instead}`);
    return read?.(instead ?? text, before) ?? instead ?? text;
  });
}

/** Prints each warning once, on standard error. */
async function printDeprecations(command: Command, { stderr }: Runtime): Promise<void> {
  const texts: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) {
    for (const text of warnings.get(each) ?? []) texts.push(text);
    warnings.delete(each);
  }
  if (texts.length === 0 || command.optsWithGlobals<GlobalOptions>().quiet) return;
  const { paintSeverity } = await import('../output/paint.ts');
  for (const text of texts) await stderr.write(`${paintSeverity(stderr.colors, text)}\n`);
}

/** The name of a command without the program's, such as `grade log`. */
export function commandName(command: Command): string {
  return pathOf(command).replace('lectern ', '');
}

/** The full name of a command, starting with the program's. */
export function pathOf(command: Command): string {
  const name = command.name();
  return command.parent === null ? name : `${pathOf(command.parent)} ${name}`;
}
