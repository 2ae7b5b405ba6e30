/*
 * Parameters of the control API, as data: the schema that the emulator checks, the flag or argument
 * of `lectern emulator`, and the words of a command line are made of them. Nothing here needs the
 * library of schemas, which takes a third of a start.
 */

/** The range of a number; `above` is exclusive. */
export interface Range {
  readonly from?: number;
  readonly above?: number;
  readonly to?: number;
}

export interface Parameter extends Range {
  /** A `duration` is in seconds, `15m` on a command line; a `switch` is a flag without a value. */
  readonly type: 'text' | 'texts' | 'integer' | 'number' | 'switch' | 'duration' | 'instant';
  /** Commander's notation of its flag or argument: `--location <id>`, `<id>`. */
  readonly as: string;
  readonly help: string;
  /** Of a text. */
  readonly choices?: readonly string[];
  readonly required?: true;
  /** What the command line sends if it is not given. */
  readonly default?: string | number;
}

/** Parameters by their names; those of an object below a name are nested. */
export interface Parameters {
  readonly [name: string]: Parameter | Parameters;
}

/** The value of a parameter. */
export type TakenValue<Given> = Given extends { readonly choices: readonly (infer Word)[] }
  ? Word
  : Given extends { readonly type: 'integer' | 'number' | 'duration' }
    ? number
    : Given extends { readonly type: 'switch' }
      ? boolean
      : Given extends { readonly type: 'texts' }
        ? readonly string[]
        : string;

type Details = Omit<Parameter, 'type' | 'as' | 'help'>;

function of<const Type extends Parameter['type']>(type: Type) {
  return <const As extends string, const More extends Details = object>(
    as: As,
    help: string,
    more = {} as More,
  ) => ({ type, as, help, ...more });
}

/** Parameters by their type: notation on the command line, help, further details. */
export const parameter = {
  text: of('text'),
  texts: of('texts'),
  integer: of('integer'),
  number: of('number'),
  switch: of('switch'),
  duration: of('duration'),
  instant: of('instant'),
} as const;

/** The parameters with their paths: of one that is nested, the names above it come first. */
export function flattened(
  parameters: Parameters,
  above: readonly string[] = [],
): (readonly [path: readonly string[], parameter: Parameter])[] {
  return Object.entries(parameters).flatMap(([name, given]) => {
    const path = [...above, name];
    return isParameter(given) ? [[path, given] as const] : flattened(given, path);
  });
}

export function isParameter(given: Parameter | Parameters): given is Parameter {
  return typeof given.as === 'string';
}

/** The name of its flag, such as `--location`; undefined for an argument. */
export function flagName({ as }: Parameter): string | undefined {
  return /^--[\w-]+/.exec(as)?.[0];
}
