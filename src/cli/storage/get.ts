import { rewrittenPointerHint, rowAndRest } from '../arguments/rows.ts';
import type { StorageGetOptions } from './flags.ts';
import { NoAnswer } from '../../client/index.ts';
import { reformat, pointerRule, sourceAt } from '../../json/index.ts';
import { UsageError, NotFoundError } from '../../errors.ts';
import { escapeJson } from '../output/escape.ts';
import type { Context } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { printJsonText, writeRaw } from '../output/print.ts';
import { type UnreadableRow, readRow, readStored } from '../../rows/row.ts';

export async function runGet(
  context: Context<StorageGetOptions>,
  ...args: (string | undefined)[]
): Promise<void> {
  const { options } = context;
  const [row, pointer = ''] = rowAndRest(options, args);
  const fault = pointerRule(pointer);
  if (fault !== undefined) {
    throw new UsageError(
      `${JSON.stringify(pointer)} is not a valid JSON pointer: ${fault}`,
      rewrittenPointerHint(pointer) ??
        'a pointer starts with /, such as /settings/theme; in names, write ~ as ~0 and / as ~1',
    );
  }
  if (options.depth !== undefined && (options.json || options.raw)) {
    const flag = options.json ? '--json' : '--raw';
    throw new UsageError(
      `--depth and ${flag} cannot be used together: ${flag} prints the value whole`,
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
  const isView = !options.json && (context.stdout.isTerminal || options.depth !== undefined);
  if (options.raw) await writeRaw(context, value);
  else if (isView) await printView(context, reformat(value));
  else await printJsonText(context, reformat(value));
  const twice = duplicates.filter((each) => isWithin(each, pointer) || isWithin(pointer, each));
  if (twice.length === 0) return;
  const { noteDuplicates } = await import('./duplicates.ts');
  await noteDuplicates(context, twice, text);
}

/** Prints JSON for a terminal: in colour if enabled, and folded if requested. */
async function printView(context: Context<StorageGetOptions>, laidOut: string): Promise<void> {
  const { stdout, options } = context;
  const { viewJson } = await import('../output/json-view.ts');
  // Escaped before the colours are added.
  const safe = stdout.isTerminal ? escapeJson(laidOut) : laidOut;
  await stdout.write(`${viewJson(safe, { colors: stdout.colors, depth: options.depth })}\n`);
}

/** Whether a pointer leads to the value of another pointer, or into it. */
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
