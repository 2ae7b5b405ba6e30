import type { DIFF_FLAGS } from './flags.ts';
import { operationsText } from '../../diff/index.ts';
import { isRow } from '../arguments/rows.ts';
import { ExitError } from '../errors.ts';
import { readInput, type UserInput } from '../input/read.ts';
import { patchLines, pointersText } from '../output/row-change.ts';
import { type Called, withOptions } from '../runtime.ts';
import { rowTarget, type RowTarget, rowTargetAndRest } from '../session/resolve-call.ts';
import { RawJson, type Result, type Shown } from '../output/result.ts';
import { exactPatch, textDiff } from './difference.ts';
import type { ParsedImage } from '../../rows/images.ts';
import { imageById, newestOf } from './images.ts';
import { readRow, type Row } from '../../rows/row.ts';
import { readObject, type Violation } from '../../contract/index.ts';
import { toFinding } from '../../validator/finding.ts';
import { InvalidError, UsageError } from '../../errors.ts';

/** With `--exit-code`, as `diff` and `git diff` have it. */
const DIFFERS = 1;

export async function runDiff(
  context: Called<typeof DIFF_FLAGS>,
  ...args: (string | undefined)[]
): Promise<Result> {
  const { options } = context;
  const [target, other] = await rowTargetAndRest(context, 'storage', args);
  const row = await readRow(target);
  const [otherName, now] = await readOther(context, target, row, other);
  const { operations, reordered } = exactPatch(row, now);
  const isSame = operations.length === 0;
  const patch = new RawJson(patchLines(operations));
  const lines: Shown = {
    drawn: (output) => textDiff(output, [target.label, row], [otherName, now]),
  };
  const isReordered = isSame && reordered.length > 0;
  return {
    json: options.patch
      ? patch
      : new RawJson(`{"same":${isSame},"patch":${operationsText(operations)}}`),
    show: options.patch ? { json: patch } : isSame ? [] : lines,
    notes: isReordered
      ? [`no differences except the order of names at ${pointersText(reordered)}`]
      : [],
    exit: !isSame && options.exitCode ? new ExitError(DIFFERS, 'differs') : undefined,
  };
}

async function readOther(
  context: Called<typeof DIFF_FLAGS>,
  target: RowTarget,
  row: Row,
  other: string | undefined,
): Promise<[name: string, row: Row]> {
  const { options } = context;
  if (options.image !== undefined) {
    if (other !== undefined) {
      throw new UsageError(
        `--image and ${other} cannot be used together`,
        'give one to compare with',
      );
    }
    return rowOfImage(await imageById(context, target, options.image));
  }
  if (other === undefined) return rowOfImage(await newestOf(context, target, row));
  if (isRow(other)) {
    const { url: _, ...rest } = options;
    const otherTarget = await rowTarget(withOptions(context, rest), 'storage', other);
    return [otherTarget.label, await readRow(otherTarget)];
  }
  const input = await readInput(context, other, 'the other row');
  return [input.source, rowOfInput(input)];
}

function rowOfImage({ id, stored }: ParsedImage): [name: string, row: Row] {
  const source = `previous version ${id}`;
  return [source, 'violation' in stored ? refuse(source, stored.violation) : stored];
}

/** Reads a row of any size from the user's input; InvalidError if it is not a JSON object. */
function rowOfInput({ source, bytes }: UserInput): Row {
  const read = readObject(bytes);
  return 'violation' in read ? refuse(source, read.violation) : read;
}

function refuse(source: string, wrong: Violation): never {
  throw new InvalidError(`${source} is not a row`, { findings: [toFinding(wrong)] });
}
