import { Argument, type Command, type Option } from 'commander';
import {
  ACTIVITY_PROGRESS,
  CONTRACT_CHANGES,
  GRADING_PROGRESS,
  ROW_NAMES,
} from '../../contract/index.ts';
import { EXPLAINED_WORDS } from '../explain/words.ts';
import type { Runtime } from '../runtime.ts';

type Values = (runtime: Runtime) => readonly string[] | Promise<readonly string[]>;

const launches: Values = async (runtime) => (await runtime.launches()).names();
const keys: Values = async (runtime) => (await runtime.keys()).names();
const ledgers: Values = async (runtime) => (await runtime.ledgers()).names();

/** Known values, by the flag, by noun and argument, or by what help calls the value. */
const VALUES: Readonly<Record<string, Values>> = {
  '--launch': launches,
  '--api-key': keys,
  '--ledger': ledgers,
  '--activity-progress': () => ACTIVITY_PROGRESS,
  '--grading-progress': () => GRADING_PROGRESS,
  '--contract': () => CONTRACT_CHANGES.map(({ date }) => date),
  '--kind': () => ROW_NAMES,
  'launch name': launches,
  'emulator name': launches,
  'key name': keys,
  'ledger name': ledgers,
  'provision level': () => ['context', 'location'],
  'explain word': () => EXPLAINED_WORDS,
  row: () => ROW_NAMES,
  from: () => ROW_NAMES,
  to: () => ROW_NAMES,
};

/** The known values of an argument or flag; none if it takes a file or free text. */
export async function valuesOf(
  command: Command,
  place: Argument | Option,
  runtime: Runtime,
): Promise<readonly string[]> {
  const names =
    place instanceof Argument
      ? [`${nounOf(command)} ${place.name()}`, place.name()]
      : [place.long ?? ''];
  const known = names.find((name) => Object.hasOwn(VALUES, name));
  return known === undefined ? [] : (VALUES[known] as Values)(runtime);
}

function nounOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? nounOf(parent) : command.name();
}
