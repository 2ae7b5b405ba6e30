import { Argument, type Command, type Option } from 'commander';
import {
  ACTIVITY_PROGRESS,
  CONTRACT_CHANGES,
  GRADING_PROGRESS,
  ROW_NAMES,
} from '../../contract/index.ts';
import { STATES } from '../../ledger/ledger.ts';
import { EXPLAINED_WORDS } from '../explain/words.ts';
import type { Runtime } from '../runtime.ts';
import type { Candidate } from './kept.ts';

/** The place of a completed value. */
export interface CompletionPlace {
  readonly command: Command;
  readonly place: Argument | Option;
  /** The words before the cursor, and the beginning of the value. */
  readonly words: readonly string[];
  readonly last: string;
}

type Values = (
  runtime: Runtime,
  at: CompletionPlace,
) => readonly Value[] | Promise<readonly Value[]>;
type Value = string | Candidate;

const launches: Values = async (runtime) => (await runtime.launches()).names();
const keys: Values = async (runtime) => (await runtime.keys()).names();
const ledgers: Values = async (runtime) => (await runtime.ledgers()).names();
const runs: Values = async (runtime) => (await import('./kept.ts')).keptRuns(runtime);
const images: Values = async (runtime) => (await import('./kept.ts')).keptImages(runtime);

/** Comma-separated values: the missing ones, after those already typed. */
const statuses: Values = (_, { last }) => {
  const given = last.split(',').slice(0, -1);
  return ['recorded', ...STATES]
    .filter((word) => !given.includes(word))
    .map((word) => [...given, word].join(','));
};

const columns: Values = async (runtime, { command, words }) =>
  (await import('./columns.ts')).completedColumns(runtime, command.name(), words);

/** The words of a command that prints JSON. */
const jsonCommand: Values = async (_, { words }) => {
  const { JSON_FORMS } = await import('../json-forms/index.ts');
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
  '--run': runs,
  '--status': statuses,
  '--map': columns,
  '--show': images,
  '--image': images,
  'launch name': launches,
  'emulator name': launches,
  'key name': keys,
  'ledger name': ledgers,
  'provision level': () => ['context', 'location'],
  'explain word': () => EXPLAINED_WORDS,
  'explain command': jsonCommand,
  'grade run': runs,
  'storage id': images,
  row: () => ROW_NAMES,
  from: () => ROW_NAMES,
  to: () => ROW_NAMES,
};

/** The known values of an argument or flag; none if it takes a file or free text. */
export async function valuesOf(
  runtime: Runtime,
  at: CompletionPlace,
): Promise<readonly Candidate[]> {
  const { command, place } = at;
  const names =
    place instanceof Argument
      ? [`${nounOf(command)} ${place.name()}`, place.name()]
      : [place.long ?? ''];
  const known = names.find((name) => Object.hasOwn(VALUES, name));
  const values = known === undefined ? [] : await (VALUES[known] as Values)(runtime, at);
  return values.map((each) => (typeof each === 'string' ? { word: each, summary: '' } : each));
}

function nounOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? nounOf(parent) : command.name();
}
