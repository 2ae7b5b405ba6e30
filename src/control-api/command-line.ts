import { flagWord, quoted } from '../contract/words.ts';
import { COMMANDS, type ControlCommand } from './commands.ts';
import { flagName, flattened, type Parameter, type Parameters } from './parameters.ts';

type Given = Readonly<Record<string, unknown>>;

/** The command line that does the same as an operation with these parameters. */
export function emulatorLine(operation: keyof typeof COMMANDS, given: object = {}): string {
  const names = Object.keys(given);
  const commands: readonly ControlCommand[] = COMMANDS[operation];
  /** How many of the parameters a command gives; none if it would give another value. */
  const rank = ({ takes = {}, given: fixed = {} }: ControlCommand): number =>
    isWith(fixed, given as Given)
      ? names.filter((name) => Object.hasOwn(takes, name) || Object.hasOwn(fixed, name)).length
      : -1;
  const [best] = commands.toSorted((a, b) => rank(b) - rank(a));
  return verbLine(best?.path ?? '', best?.takes ?? {}, given);
}

/** The command line of a verb, with the parameters that it takes. */
export function verbLine(path: string, takes: Parameters, given: object): string {
  return ['lectern emulator', path, ...wordsOf(takes, given as Given)].join(' ');
}

function isWith(fixed: object, given: Given): boolean {
  return Object.entries(fixed).every(([name, value]) => given[name] === value);
}

function wordsOf(takes: Parameters, given: Given): string[] {
  return flattened(takes).flatMap(([path, parameter]) => {
    const value = path.reduce<unknown>((at, name) => (at as Given | undefined)?.[name], given);
    const isLeftOut = value === undefined || value === '' || value === false;
    return isLeftOut || value === parameter.default ? [] : wordsFor(parameter, value);
  });
}

function wordsFor(parameter: Parameter, value: unknown): string[] {
  const flag = flagName(parameter);
  if (value === true) return flag === undefined ? [] : [flag];
  const texts = [value].flat().map((each) => textOf(parameter, each));
  return texts.map((each) => (flag === undefined ? quoted(each) : flagWord(flag, each)));
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'm'],
] as const;

function textOf({ type }: Parameter, value: unknown): string {
  if (type !== 'duration') return String(value);
  const [seconds, unit] = UNITS.find(([each]) => Number(value) % each === 0) ?? [1, 's'];
  return `${Number(value) / seconds}${unit}`;
}
