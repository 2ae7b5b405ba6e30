import type { WRITE_FLAGS } from './flags.ts';
import { UsageError } from '../../errors.ts';
import { readInput } from '../input/read.ts';
import type { ParsedImage } from '../../rows/images.ts';
import { isSameRow, readRow, type StoredRow } from '../../rows/row.ts';
import type { Result } from '../output/result.ts';
import type { Called, Context } from '../runtime.ts';
import { rowTarget, rowTargetAndRest } from '../session/resolve-call.ts';
import { note } from '../output/notes.ts';
import { newRow, runChange } from './change.ts';
import { imageById, newestOf } from './images.ts';

export async function runPut(
  context: Called<typeof WRITE_FLAGS>,
  ...args: (string | undefined)[]
): Promise<Result> {
  const [target, file] = await rowTargetAndRest(context, 'storage', args);
  const { source, bytes } = await readInput(context, file, 'the new row');
  const planned = newRow(target, source, bytes);
  const change = { method: 'PUT', command: 'storage put', plan: () => planned } as const;
  return runChange(context, target, change);
}

export async function runCopy(
  context: Called<typeof WRITE_FLAGS>,
  from: string,
  to: string,
): Promise<Result> {
  const { options } = context;
  if (options.url !== undefined) {
    throw new UsageError('--url cannot be used with copy', 'pass the URLs as FROM and TO');
  }
  const source = await rowTarget(context, 'storage', from);
  const target = await rowTarget(context, 'storage', to);
  if (source.url === target.url) throw new UsageError('FROM and TO are the same row');
  const planned = newRow(target, `the ${source.label} row`, await readRow(source));
  return runChange(context, target, {
    method: 'PUT',
    command: 'storage copy',
    plan: () => planned,
  });
}

export async function runUndo(
  context: Called<typeof WRITE_FLAGS>,
  ...args: (string | undefined)[]
): Promise<Result> {
  const [target, id] = await rowTargetAndRest(context, 'storage', args);
  // The row may change during the question: then it is asked again, about the same image.
  let image: ParsedImage | undefined;
  return runChange(
    context,
    target,
    {
      method: 'PUT',
      command: 'storage undo',
      plan: async (before) => {
        const isFirst = image === undefined;
        image ??=
          id === undefined
            ? await newestOf(context, target, before)
            : await imageById(context, target, id);
        if (isSameRow(image.stored, before) && !context.options.dryRun) return undefined;
        if (isFirst) await noteImage(context, image, before);
        const { id: number, stored } = image;
        const content = 'violation' in stored ? stored.bytes : stored;
        return newRow(target, `previous version ${number}`, content);
      },
    },
    { unchanged: () => `${target.label} already equals previous version ${image?.id}` },
  );
}

async function noteImage(
  context: Context,
  { id, stored, after }: ParsedImage,
  current: StoredRow,
): Promise<void> {
  if ('violation' in stored) {
    const bytes = `print its bytes with: lectern storage history --show ${id}`;
    await note(context, `previous version ${id} is not a JSON object; ${bytes}`);
  }
  await note(context, `restoring previous version ${id}`);
  if (after && !isSameRow(after, current)) {
    const since = 'the row was changed again after that version was replaced';
    await note(context, `warning: ${since}; these changes are replaced too`);
  }
}
