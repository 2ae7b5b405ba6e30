import type { WATCH_FLAGS } from './flags.ts';
import { NoAnswer, Refusal } from '../../client/index.ts';
import { diffRows, operationsText, type TextOperation } from '../../diff/index.ts';
import { compactSize, reformat } from '../../json/index.ts';
import { InterruptedError } from '../../errors.ts';
import { jsonWithRaw } from '../output/json-text.ts';
import { patchLines } from '../output/row-change.ts';
import { timeText } from '../output/units.ts';
import type { Called, Context } from '../runtime.ts';
import { pause } from '../ask.ts';
import { note } from '../output/notes.ts';
import { RawJson, type Result } from '../output/result.ts';
import { rowTarget, type RowTarget } from '../session/resolve-call.ts';
import { readRow, type Row } from '../../rows/row.ts';

export async function* runWatch(
  context: Called<typeof WATCH_FLAGS>,
  name: string | undefined,
): AsyncGenerator<Result> {
  const { options } = context;
  const target = await rowTarget(context, 'storage', name);
  let row = await readRow(target);
  await note(
    context,
    `polling ${target.label} every ${options.interval} s; each call restarts the idle time of the token; press Ctrl-C to stop`,
  );
  for (;;) {
    await pause(context, options.interval * 1000);
    const now = await readMaybe(context, target);
    if (now === undefined) continue;
    const operations = now.text === row.text ? [] : changesOf(row, now);
    if (operations.length > 0) yield changeOf(context.now(), target, now, operations);
    row = now;
  }
}

/** The row, or undefined if this reading failed; the next one may succeed. */
async function readMaybe(context: Context, target: RowTarget): Promise<Row | undefined> {
  try {
    return await readRow(target);
  } catch (error) {
    if (context.interrupt.aborted) throw new InterruptedError('interrupted');
    const mayPass = error instanceof NoAnswer || (error instanceof Refusal && error.status === 429);
    if (!mayPass) throw error;
    await note(context, `${timeText(context.now())} no response: ${error.message}`);
    return undefined;
  }
}

/** The changes. One that a patch cannot express is shown as the whole new row. */
function changesOf(before: Row, now: Row): readonly TextOperation[] {
  const { operations, uncarried } = diffRows(before, now);
  if (uncarried.length === 0) return operations;
  return [{ op: 'replace', path: '', value: reformat(now.text, 0) }];
}

function changeOf(
  ms: number,
  { label }: RowTarget,
  { text }: Row,
  operations: readonly TextOperation[],
): Result {
  const bytes = compactSize(text);
  const head = { time: new Date(ms).toISOString(), row: label, bytes };
  return {
    json: new RawJson(jsonWithRaw(head, { patch: operationsText(operations) })),
    show: [
      `${timeText(ms)} ${label}, now ${bytes} bytes`,
      { json: new RawJson(patchLines(operations)) },
    ],
  };
}
