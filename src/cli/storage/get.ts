import { NoAnswer } from '../../client/index.ts';
import { reformat, pointerRule, sourceAt } from '../../json/index.ts';
import { rowAndRest } from '../arguments/rows.ts';
import { UsageError } from '../../errors.ts';
import { NotFoundError } from '../../errors.ts';
import type { GlobalOptions, Context } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { printJsonText, writeRaw } from '../ui.ts';
import { type UnreadableRow, readRow, readStored } from '../../rows/row.ts';

interface GetOptions extends GlobalOptions {
  readonly raw?: boolean;
}

export async function runGet(
  context: Context<GetOptions>,
  args: readonly (string | undefined)[],
): Promise<void> {
  const { options } = context;
  const [row, pointer = ''] = rowAndRest(options, args);
  const fault = pointerRule(pointer);
  if (fault !== undefined) {
    throw new UsageError(
      `${JSON.stringify(pointer)} is not a valid JSON pointer: ${fault}`,
      'a pointer starts with /, such as /settings/theme; in names, write ~ as ~0 and / as ~1',
    );
  }
  const target = await rowTarget(context, 'storage', row);
  // --json promises JSON.
  const isAny = options.raw && !options.json && pointer === '';
  const stored = await (isAny ? readStored(target) : readRow(target));
  if ('fault' in stored) return printUnreadableRow(context, target, stored);
  const { text, duplicates } = stored;
  const value = pointer === '' ? text : sourceAt(text, pointer);
  if (value === undefined) {
    throw new NotFoundError(`the ${target.label} row has no value at ${pointer}`);
  }
  if (options.raw) await writeRaw(context, value);
  else await printJsonText(context, reformat(value));
  const twice = duplicates.filter((each) => isWithin(each, pointer) || isWithin(pointer, each));
  if (twice.length === 0) return;
  const { tellDuplicates } = await import('./duplicates.ts');
  await tellDuplicates(context, twice, text);
}

/** Whether what a pointer leads to is, or is in, what another one leads to. */
function isWithin(pointer: string, other: string): boolean {
  return `${pointer}/`.startsWith(`${other}/`);
}

/** Prints a response that is not a row; it is still an error. */
async function printUnreadableRow(
  context: Context,
  { label }: RowTarget,
  { bytes, fault }: UnreadableRow,
): Promise<void> {
  await writeRaw(context, bytes);
  throw new NoAnswer(`the ${label} row is not a JSON object: ${fault}`, {
    reason: 'unusable',
    inDoubt: false,
  });
}
