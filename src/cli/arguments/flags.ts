/*
 * Flags are declared as a table: commander's notation of a flag, and its help or more. The type of a
 * command's options is inferred from its table, so nothing has to repeat it.
 */

import { flagWord } from '../../contract/words.ts';

/** A flag with more than a help text. */
export interface FlagSpec {
  readonly help: string;
  /** Reads the value; throws commander's `InvalidArgumentError`. Without it the value is text. */
  readonly parse?: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly required?: true;
  /** The flag can be repeated; its values are a list. */
  readonly repeat?: true;
  /** The options that cannot be combined with this one, by their names in the type. */
  readonly conflicts?: readonly string[];
  /** The option that gets the value, if several flags fill one list. */
  readonly into?: string;
  /** The heading of this flag and the following ones, in help. */
  readonly heading?: string;
  /** What to do instead, such as `use --step`. The flag will be removed in the next major version; help leaves it out. */
  readonly deprecated?: string;
  /** Values that will be removed in the next major version, each with its replacement. */
  readonly deprecatedValues?: Readonly<Record<string, string>>;
}

/** Flags by their notation, such as `-o, --output <file>`, in the order in which help lists them. */
export type Flags = Readonly<Record<string, string | FlagSpec>>;

type Given = { default: unknown } | { required: true };

/** The options of a table of flags: `--dry-run` is `dryRun?: boolean`. */
export type OptionsOf<Table extends Flags> = {
  readonly [
    Key in keyof Table as Table[Key] extends Given ? never : OptionName<Key, Table[Key]>
  ]?: OptionValue<Key, Table[Key]>;
} & {
  readonly [
    Key in keyof Table as Table[Key] extends Given ? OptionName<Key, Table[Key]> : never
  ]: OptionValue<Key, Table[Key]>;
};

type OptionName<Key, Spec> = Spec extends { into: infer Name extends string }
  ? Name
  : LongName<Key> extends `no-${infer Name}`
    ? CamelCase<Name>
    : CamelCase<LongName<Key>>;

type LongName<Key> = Key extends `${string}--${infer Rest}`
  ? Rest extends `${infer Name} ${string}`
    ? Name
    : Rest
  : never;

type CamelCase<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;

type OptionValue<Key, Spec> = Key extends `${string}...>`
  ? readonly string[]
  : Key extends `${string}<${string}`
    ? Spec extends { repeat: true }
      ? readonly Parsed<Spec>[]
      : Parsed<Spec>
    : Key extends `${string}[${string}`
      ? Parsed<Spec> | true
      : boolean;

export type Parsed<Spec> = Spec extends { parse: (text: string) => infer Value }
  ? Value
  : Spec extends { choices: readonly (infer Word)[] }
    ? Word
    : string;

/** The arguments that set these options, such as `--port=4000`; undefined ones are left out. */
export function flagWords<Table extends Flags>(
  table: Table,
  options: Partial<OptionsOf<Table>>,
): string[] {
  return Object.entries(givenFlags(table, options)).flatMap(([option, value]) => {
    const name = option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (value === false) return [];
    if (value === true) return [`--${name}`];
    return [value].flat().map((each) => `--${name}=${String(each)}`);
  });
}

/** The flags as in `flagWords`, as one part of a command line. */
export function flagLine<Table extends Flags>(
  table: Table,
  options: Partial<OptionsOf<Table>>,
): string {
  const parts = flagWords(table, options).map((word) => {
    const [flag = '', value] = word.split(/=(.*)/s, 2);
    return value === undefined ? flag : flagWord(flag, value);
  });
  return parts.join(' ');
}

/** The options of these flags that are given, by their names in the type. */
export function givenFlags<Table extends Flags>(
  table: Table,
  options: Partial<OptionsOf<Table>>,
): Readonly<Record<string, unknown>> {
  const values: Readonly<Record<string, unknown>> = options;
  const given = Object.keys(table).flatMap((notation) => {
    const [, name = ''] = /--([\w-]+)/.exec(notation) ?? [];
    const option = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return values[option] === undefined ? [] : [[option, values[option]] as const];
  });
  return Object.fromEntries(given);
}

/** Keeps the exact type of a table of flags, from which `OptionsOf` infers. */
export function defineFlags<const Table extends Flags>(table: Table): Table {
  return table;
}

/** For commands that write a file which the user names. */
export const REPLACE_FLAG = defineFlags({
  '--force': 'replace a file that lectern has not written',
});
