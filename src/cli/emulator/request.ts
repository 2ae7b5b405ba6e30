import { COMMANDS, type ControlCommand } from '../../control-api/commands.ts';
import { LARGEST_PAGE } from '../../control-api/taken.ts';
import { type ListName, NOTHING } from '../../control-api/resources.ts';
import {
  flagName,
  isParameter,
  type Parameter,
  type Parameters,
} from '../../control-api/parameters.ts';
import type { Answers, Taken } from '../../emulator/index.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import { tableOfList } from '../output/emulator.ts';
import { shownLimit } from '../output/notes.ts';
import type { Result } from '../output/result.ts';
import type { Context, Runtime } from '../runtime.ts';
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

interface PageOptions extends LimitOptions {
  readonly after?: string;
}

/** Makes the control request of a command, and returns what it prints of the answer. */
export async function runRequest(
  context: Context<PageOptions>,
  operation: keyof typeof CHECKED,
  command: ControlCommand,
  words: readonly unknown[],
): Promise<Result> {
  const { takes = {}, given, text, note, list } = command;
  const options: Given = { ...context.options };
  const rest = [...words];
  const taken = valuesOf(takes, (parameter) => {
    const flag = flagName(parameter);
    return flag === undefined ? rest.shift() : options[optionOf(flag)];
  });
  // The parameters and answers of each command are checked above.
  const answer: object = await control(context, operation, { ...taken, ...given } as never);
  if (list) {
    const page = (more: object) =>
      control(context, operation, { ...taken, ...given, ...more } as never);
    const isPage = shownLimit(context) !== Infinity || context.options.after !== undefined;
    return listResult(context, list, isPage ? answer : await allPages(answer, page));
  }
  if (note) return { json: answer, notes: [note(answer as never, taken as never)] };
  return { json: answer, show: text ? text(answer as never) : { json: answer } };
}

/** A page of a list. */
interface Page {
  readonly items: readonly object[];
  readonly next: string | null;
}

/** The list of which an answer is the first page. */
export async function allPages<Answer extends object>(
  answer: Answer,
  read: (page: { after: string; limit: number }) => Promise<object>,
): Promise<Answer> {
  const { items, next }: Partial<Page> = answer;
  if (items === undefined || !next) return answer;
  const all = [...items];
  for (let after: string | null = next; after !== null;) {
    const page = (await read({ after, limit: LARGEST_PAGE })) as Page;
    for (const item of page.items) all.push(item);
    after = page.next;
  }
  return { ...answer, items: all, next: null };
}

/** A list, or a page of one with how to print the next. */
export function listResult({ now }: Runtime, list: ListName, answer: object): Result {
  const table = tableOfList(list, answer, now());
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
