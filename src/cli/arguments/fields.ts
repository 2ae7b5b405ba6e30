import { InvalidArgumentError } from 'commander';
import type { FlagSpec } from './flags.ts';

/** A list or stream that a command prints, from which `--fields` chooses. */
export interface ListSpec<Options = never, Argument = never> {
  /** The columns of its table, of all its tables without a name; absent if only the JSON is a list. */
  readonly columns?: (list: string | undefined) => Promise<Readonly<Record<string, object>>>;
  /**
   * Of a command with several lists, the one that it prints, by its options and its first argument:
   * that of a form with this `list`.
   */
  readonly which?: (options: Options, argument: Argument) => string | undefined;
  /** It prints all of its tables, of which each may have other columns. */
  readonly areMany?: true;
  /** The option with which alone the command prints it. */
  readonly only?: string;
  /** The options with which the command prints something else. */
  readonly not?: readonly string[];
}

/** Reads `NAME,…`, each name once. */
function fieldNames(text: string, before?: unknown): readonly string[] {
  if (before !== undefined) throw new InvalidArgumentError('give it once, as NAME,NAME.');
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('expected names, as NAME,NAME.');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return names;
  throw new InvalidArgumentError(`expected each name once, not ${twice} twice.`);
}

/** The flag of a command that prints a list. */
export function fieldsFlag({
  not = [],
}: Pick<ListSpec, 'not'>): Readonly<Record<string, FlagSpec>> {
  const help = 'print these columns, or with --json these members, in this order';
  return { '--fields <names>': { help, parse: fieldNames, conflicts: not } };
}
