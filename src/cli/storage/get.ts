import { rewrittenPointerHint, rowAndRest } from '../arguments/rows.ts';
import type { GET_FLAGS } from './flags.ts';
import { type InvalidRow, NoAnswer } from '../../client/index.ts';
import { placedMessage } from '../../contract/index.ts';
import { reformat, pointerRule, sourceAt } from '../../json/index.ts';
import { UsageError, NotFoundError } from '../../errors.ts';
import { escapeJson } from '../../contract/escape.ts';
import { refuseJson } from '../output/print.ts';
import { RawJson, type Result } from '../output/result.ts';
import type { Called, Output } from '../runtime.ts';
import { rowTarget, type RowTarget } from '../session/resolve-call.ts';
import { maskSecrets } from '../../contract/secrets.ts';
import { readRow, readStored } from '../../rows/row.ts';

export async function runGet(
  context: Called<typeof GET_FLAGS>,
  ...args: (string | undefined)[]
): Promise<Result> {
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
  if (options.depth !== undefined) {
    refuseJson(context, '--depth');
    if (options.raw) throw new UsageError('--depth and --raw cannot be used together');
  }
  const target = await rowTarget(context, 'storage', row);
  const isAny = options.raw && pointer === '';
  const stored = await (isAny ? readStored(target) : readRow(target));
  if ('violation' in stored) return unreadable(target, stored);
  const { text, duplicates } = stored;
  const value = pointer === '' ? text : sourceAt(text, pointer);
  if (value === undefined) {
    throw new NotFoundError(`the ${target.label} row has no value at ${maskSecrets(pointer)}`);
  }
  const twice = duplicates.filter((each) => isWithin(each, pointer) || isWithin(pointer, each));
  if (twice.length > 0) {
    const { noteDuplicates } = await import('./duplicates.ts');
    await noteDuplicates(context, twice, text);
  }
  if (options.raw) return { json: new RawJson(value), show: { raw: value } };
  const json = reformat(value);
  const drawn = (output: Output) => viewOf(output, json, options.depth);
  return { json: new RawJson(json), show: { drawn } };
}

/** JSON for a terminal: in colour if enabled, and folded if requested; without either unchanged. */
async function viewOf(
  { isTerminal, colors }: Output,
  json: string,
  depth: number | undefined,
): Promise<string> {
  if (!isTerminal && depth === undefined) return `${json}\n`;
  const { viewJson } = await import('../output/json-view.ts');
  // Escaped before the colours are added.
  const safe = isTerminal ? escapeJson(json) : json;
  return `${viewJson(safe, { colors, depth })}\n`;
}

/** Whether a pointer leads to the value of another pointer, or into it. */
function isWithin(pointer: string, other: string): boolean {
  return `${pointer}/`.startsWith(`${other}/`);
}

/** A response that is not a row; it is still an error. */
function unreadable({ label }: RowTarget, { bytes, violation }: InvalidRow): Result {
  const message = `the ${label} row is not a JSON object: ${placedMessage(violation)}`;
  return {
    show: { raw: bytes },
    exit: new NoAnswer(message, { reason: 'unusable', inDoubt: false }),
  };
}
