import { Argument, type Command, type Option } from 'commander';
import { findPlace, type CommandPlace } from '../declare/place.ts';
import { type Context, copyWith, type Runtime } from '../runtime.ts';
import { isSameName } from '../arguments/names.ts';
import { LOCAL } from '../session/ledger.ts';
import { choose } from '../session/precedence.ts';
import {
  ACTIVITY_PROGRESS,
  CONTRACT_CHANGES,
  GRADING_PROGRESS,
  ROW_NAMES,
} from '../../contract/index.ts';
import { declarationOf, commandName, findProject } from '../declare/define.ts';
import { type Ledger, STATES } from '../../ledger/ledger.ts';
import { countText, timeText } from '../output/units.ts';
import { escapeText } from '../../contract/escape.ts';
import { EXPLAINED_WORDS } from '../explain/words.ts';

/** A completion and its description. */
interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/**
 * Prints the completions of the last of `words`, the words of a command line after `lectern`, one
 * per line; `program` is the command tree for them. None for files, which shells complete
 * themselves.
 */
export async function runCandidates(
  runtime: Context,
  program: Command,
  words: readonly string[],
): Promise<void> {
  const last = words.at(-1) ?? '';
  const all = await possible(findPlace(program, words.slice(0, -1)), last, runtime);
  const lines = all
    // A control character has no place on the command line of a shell.
    .filter(({ word }) => word.startsWith(last) && word === escapeText(word))
    .map(({ word, summary }) => `${word}\t${escapeText(summary)}\n`);
  await runtime.stdout.write(lines.join(''));
}

/** The command's own flags, then those of its parents. */
function flagsOf(command: Command): Option[] {
  const help = command.createHelp();
  // Help lists global flags in one place only; completion offers them with each command.
  help.showGlobalOptions = true;
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
}

async function possible(at: CommandPlace, last: string, runtime: Context): Promise<Candidate[]> {
  const { command, given, flag, isPastFlags, words } = at;
  if (flag) return valueCandidates(at, flag, last, runtime);
  if (!isPastFlags && last.startsWith('-')) return flagCandidates(at, last, runtime);
  const commands = given === 0 ? command.createHelp().visibleCommands(command) : [];
  const argument = argumentAt(command, given);
  return [
    ...commands.map((each) => ({ word: each.name(), summary: each.summary() })),
    ...(command.parent === null && words.at(-1) === 'help' ? await topics() : []),
    ...(argument ? await valueCandidates(at, argument, last, runtime) : []),
  ];
}

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
async function flagCandidates(
  at: CommandPlace,
  last: string,
  runtime: Context,
): Promise<Candidate[]> {
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

/** The place of a completed value. */
interface CompletionPlace {
  readonly command: Command;
  /** The words before the cursor, and the beginning of the value. */
  readonly words: readonly string[];
  readonly last: string;
}

type Values = (
  runtime: Context,
  at: CompletionPlace,
) => readonly Value[] | Promise<readonly Value[]>;
type Value = string | Candidate;

const launches: Values = async (runtime) => (await runtime.launches()).names();
const keys: Values = async (runtime) => (await runtime.keys()).names();
const ledgers: Values = async (runtime) => (await runtime.ledgers()).names();

/** Comma-separated values: the missing ones, after those already typed. */
const statuses: Values = (_, { last }) => {
  return separated(['recorded', ...STATES], last);
};

function separated(known: readonly string[], last: string): string[] {
  const given = last.split(',').slice(0, -1);
  return known.filter((word) => !given.includes(word)).map((word) => [...given, word].join(','));
}

const fields: Values = async (_, { command, words, last }) => {
  const list = declarationOf(command)?.list;
  if (list === undefined) return [];
  const { fieldsOfList } = await import('../output/fields.ts');
  const { columns, members } = await fieldsOfList(commandName(command), list);
  const isJson = words.includes('--json') || columns.length === 0;
  return separated(isJson ? members : columns, last);
};

const columns: Values = (runtime, { command, words }) =>
  completedColumns(runtime, command.name(), words);

const jsonCommand: Values = async (_, { words }) => {
  const { JSON_FORMS } = await import('../output/all-forms.ts');
  const given = words.slice(words.indexOf('json') + 1);
  const next = Object.keys(JSON_FORMS)
    .map((name) => name.split(' '))
    .filter((name) => given.every((word, at) => word === name[at]) && name.length > given.length)
    .map((name) => name[given.length] as string);
  return words.includes('json') ? [...new Set(next)] : [];
};

/** Known values, by flag, by noun and argument, or by the name of the value in help. */
const VALUES: Readonly<Record<string, Values>> = {
  '--launch': launches,
  '--api-key': keys,
  '--ledger': ledgers,
  '--activity-progress': () => ACTIVITY_PROGRESS,
  '--grading-progress': () => GRADING_PROGRESS,
  '--contract': () => CONTRACT_CHANGES.map(({ date }) => date),
  '--kind': () => ROW_NAMES,
  '--run': keptRuns,
  '--status': statuses,
  '--map': columns,
  '--fields': fields,
  '--show': keptImages,
  '--image': keptImages,
  'launch name': launches,
  'emulator name': launches,
  'key name': keys,
  'ledger name': ledgers,
  'provision level': () => ['context', 'location'],
  'explain word': () => EXPLAINED_WORDS,
  'explain command': jsonCommand,
  'grade run': keptRuns,
  'ledger run': keptRuns,
  'storage id': keptImages,
  row: () => ROW_NAMES,
  from: () => ROW_NAMES,
  to: () => ROW_NAMES,
};

/** The known values of an argument or flag; none if it takes a file or free text. */
async function valueCandidates(
  { command, words }: CommandPlace,
  place: Argument | Option,
  last: string,
  runtime: Context,
): Promise<Candidate[]> {
  const names =
    place instanceof Argument
      ? [`${nounOf(command)} ${place.name()}`, place.name()]
      : [place.long ?? ''];
  const known = names.find((name) => Object.hasOwn(VALUES, name));
  const valuesOf = known === undefined ? () => [] : (VALUES[known] as Values);
  const values = place.argChoices ?? (await valuesOf(runtime, { command, words, last }));
  return values.map((each) => (typeof each === 'string' ? { word: each, summary: '' } : each));
}

function nounOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? nounOf(parent) : command.name();
}

/** A longer line is not a header. */
const MOST_CHARACTERS = 65_536;

/**
 * Values of --map for the grade file on the command line: each unknown column of the file, with
 * each name that the file lacks.
 */
async function completedColumns(
  runtime: Runtime,
  verb: string,
  words: readonly string[],
): Promise<string[]> {
  const file =
    verb === 'grades' ? words.findLast((word) => !word.startsWith('-')) : valueOf('--from', words);
  if (file === undefined) return [];
  const header = await headerOf(runtime, file);
  const { GRADE_COLUMNS } = await import('../../validator/grades.ts');
  const known: readonly string[] = GRADE_COLUMNS;
  const unknown = header.filter((name) => name !== '' && !known.includes(name));
  const free = known.filter((name) => !header.includes(name));
  return unknown.flatMap((name) => free.map((column) => `${name}=${column}`));
}

function valueOf(flag: string, words: readonly string[]): string | undefined {
  const at = words.lastIndexOf(flag);
  const joined = words.findLast((word) => word.startsWith(`${flag}=`))?.slice(flag.length + 1);
  return at === -1 ? joined : words[at + 1];
}

/** The names in the first line of a CSV file; none if it cannot be read. */
async function headerOf(runtime: Runtime, path: string): Promise<string[]> {
  const disk = await runtime.disk();
  const facts = await disk.pathInfo(path, { followLinks: true });
  if (facts?.kind !== 'file') return [];
  const file = await disk.openFile(path, facts);
  try {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of file.chunks()) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes('\n') || text.length > MOST_CHARACTERS) break;
    }
    const [line = ''] = text.split(/\r?\n/);
    return line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
  } finally {
    await file.close();
  }
}

/** More would not fit on a screen. */
const MOST = 50;

/** The runs of the local ledger if it is used, newest first; completion does not connect to a server. */
async function keptRuns(runtime: Context, { words }: CompletionPlace): Promise<Candidate[]> {
  const ledger = valueOf('--ledger', words);
  const project = await findProject(runtime).catch(() => undefined);
  const chosen = await choose(copyWith(runtime, { options: { ledger }, project }), 'ledger');
  if (chosen !== undefined && !isSameName(chosen.value, LOCAL)) return [];
  const runs = (await ledgerIfAny(runtime))?.runs() ?? [];
  return (await runs).slice(0, MOST).map(({ id, time, source, summary }) => ({
    word: String(id),
    summary: `${timeText(time)}, ${source}, ${countText(summary.rows, 'row')}`,
  }));
}

/** The before-images, newest first. */
async function keptImages(runtime: Runtime): Promise<Candidate[]> {
  const images = (await ledgerIfAny(runtime))?.images({ limit: MOST }) ?? [];
  return (await images).map(({ id, time, row, command }) => ({
    word: String(id),
    summary: `${timeText(time)}, ${row}, ${command}`,
  }));
}

/** Completion does not create a ledger. */
async function ledgerIfAny(runtime: Runtime): Promise<Ledger | undefined> {
  const { ledger } = await runtime.home();
  return (await (await runtime.disk()).exists(ledger)) ? runtime.ledger() : undefined;
}
