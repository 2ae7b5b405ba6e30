import type { StorageDiffOptions } from './flags.ts';
import { operationsText } from '../../diff/index.ts';
import { isRow } from '../arguments/rows.ts';
import { ExitError } from '../errors.ts';
import { readInput, type UserInput } from '../input/read.ts';
import { patchLines, pointersText } from '../output/row-change.ts';
import { type Context, withOptions } from '../runtime.ts';
import { rowTarget, type RowTarget, rowTargetAndRest } from '../session/row.ts';
import { note } from '../output/notes.ts';
import { printJsonText } from '../output/print.ts';
import { exactPatch, textDiff } from './difference.ts';
import type { ParsedImage } from '../../rows/images.ts';
import { imageById, newestOf } from './images.ts';
import { readRow, type Row } from '../../rows/row.ts';
import { readObject, type Violation } from '../../contract/index.ts';
import { toFinding } from '../../validator/finding.ts';
import { InvalidError } from '../../errors.ts';

/** With `--exit-code`, as `diff` and `git diff` have it. */
const DIFFERS = 1;

export async function runDiff(
  context: Context<StorageDiffOptions>,
  ...args: (string | undefined)[]
): Promise<void> {
  const { options } = context;
  const [target, other] = await rowTargetAndRest(context, 'storage', args);
  const row = await readRow(target);
  const [otherName, now] = await readOther(context, target, row, other);
  const { operations, reordered } = exactPatch(row, now);
  const isSame = operations.length === 0;
  if (options.patch) await printJsonText(context, patchLines(operations));
  else if (options.json) {
    await printJsonText(context, `{"same":${isSame},"patch":${operationsText(operations)}}`);
  } else if (!isSame) {
    const text = textDiff(context.stdout, [target.label, row], [otherName, now]);
    await context.stdout.write(text);
  }
  if (isSame && reordered.length > 0) {
    await note(context, `no differences except the order of names at ${pointersText(reordered)}`);
  }
  if (!isSame && options.exitCode) throw new ExitError(DIFFERS, 'differs');
}

async function readOther(
  context: Context<StorageDiffOptions>,
  target: RowTarget,
  row: Row,
  other: string | undefined,
): Promise<[name: string, row: Row]> {
  const { options } = context;
  if (options.image !== undefined) {
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
