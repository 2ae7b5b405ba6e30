import { COMMANDS, type ControlCommand } from '../../control-api/commands.ts';
import { type ListName, NOTHING } from '../../control-api/resources.ts';
import {
  flagName,
  isParameter,
  type Parameter,
  type Parameters,
} from '../../control-api/parameters.ts';
import type { Answers, Taken } from '../../emulator/index.ts';
import { tableOfList } from '../output/emulator.ts';
import type { Result } from '../output/result.ts';
import type { Context } from '../runtime.ts';
import { control } from './control.ts';

/** A command of one operation. */
type CommandOf<Name extends keyof Answers> = Omit<ControlCommand, 'given' | 'text' | 'note'> & {
  readonly given?: Partial<Taken[Name]>;
  readonly text?: (answer: Answers[Name]) => string;
  readonly note?: (answer: Answers[Name], taken: Required<Taken[Name]>) => string;
};

/** The commands with the parameters and answers of their operations. */
const CHECKED = COMMANDS satisfies {
  readonly [Name in keyof Answers]?: readonly CommandOf<Name>[];
};

/** Makes the control request of a command, and returns what it prints of the answer. */
export async function runRequest(
  context: Context,
  operation: keyof typeof CHECKED,
  command: ControlCommand,
  words: readonly unknown[],
): Promise<Result> {
  const { takes = {}, given, text, note, list } = command;
  const options = context.options as Given;
  const rest = [...words];
  const taken = valuesOf(takes, (parameter) => {
    const flag = flagName(parameter);
    return flag === undefined ? rest.shift() : options[optionOf(flag)];
  });
  // The parameters and answers of each command are checked above.
  const answer: object = await control(context, operation, { ...taken, ...given } as never);
  if (list) return listResult(list, answer);
  if (note) return { json: answer, notes: [note(answer as never, taken as never)] };
  return { json: answer, show: text ? text(answer as never) : { json: answer } };
}

/** A list, or a page of one with how to print the next. */
export function listResult(list: ListName, answer: object): Result {
  const table = tableOfList(list, answer);
  const { next = null, total } = answer as { next?: string | null; total?: number };
  const nothing = table.rows.length === 0 ? NOTHING[list] : undefined;
  if (nothing !== undefined) return { json: answer, notes: [nothing] };
  const more = next === null ? [] : [`more: --after ${next} (${total} in all)`];
  return { json: answer, show: table, notes: more };
}

type Given = Readonly<Record<string, unknown>>;

function valuesOf(takes: Parameters, read: (parameter: Parameter) => unknown): Given {
  const values = Object.entries(takes).map(
    ([name, each]) => [name, isParameter(each) ? read(each) : valuesOf(each, read)] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The name of the option of a flag: `launchId` of `--launch-id`. */
function optionOf(flag: string): string {
  return flag.slice(2).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
