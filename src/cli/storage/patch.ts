import { compactSize, jsonEqual, reformat } from '../../json/index.ts';
import type { Simulation } from '../../validator/patch.ts';
import { rowAndRest } from '../arguments/rows.ts';
import { UsageError } from '../../errors.ts';
import { readInput } from '../input/read.ts';
import type { Runtime, Context } from '../runtime.ts';
import { noteWarnings, refuseErrors } from '../shared/findings.ts';
import { rowTarget, type RowTarget } from '../session/row.ts';
import { note, printDryRun } from '../ui.ts';
import { describeValueAt } from './describe-value.ts';
import type { WriteOptions } from './images.ts';
import {
  patchOfFile,
  patchOfFlags,
  type PatchSource,
  tryPatchOf,
  type TypedOperation,
} from './patch-source.ts';
import { readRow, type Row } from '../../rows/row.ts';
import { withRowLock } from './row-lock.ts';
import { showChange } from './show-change.ts';
import { printOutcome, sendWrite } from './write.ts';

interface PatchOptions extends WriteOptions {
  /** false with `--no-check`. */
  readonly check?: boolean;
}

export async function runPatch(
  context: Context<PatchOptions>,
  args: readonly (string | undefined)[],
  typed: readonly TypedOperation[],
): Promise<void> {
  const { options } = context;
  const [row, file] = rowAndRest(options, args);
  const target = await rowTarget(context, 'storage', row);
  const patch = await readPatch(context, file, typed);
  const alone = tryPatchOf(patch, { kind: target.kind });
  refuseErrors(alone.findings, `${patch.source} is not a valid patch`);
  const atOnce = options.check !== false;
  await withRowLock(context, target, { atOnce }, () => tryAndSend(context, target, patch, alone));
}

async function tryAndSend(
  context: Context<PatchOptions>,
  target: RowTarget,
  patch: PatchSource,
  alone: Simulation,
): Promise<void> {
  const { options } = context;
  const before = options.check === false ? undefined : await readRow(target);
  const tried = before === undefined ? alone : tryOnRow(target, patch, before);
  const { findings, row: after } = tried;
  await noteWarnings(context, findings);
  if (before === undefined) await note(context, NOT_CHECKED);
  else if (after !== undefined) await showChange(context, target, before, after);
  const body = reformat(patch.read.body?.text ?? '', 0);
  if (options.dryRun) {
    await printDryRun(context, { method: 'PATCH', url: target.url, body, findings });
  } else if (before && after && jsonEqual(before.value, after.value)) {
    const bytes = compactSize(after.text);
    if (options.json)
      await printOutcome(context, target, { outcome: 'unchanged', bytes, findings });
    else await note(context, 'the patch changes nothing; nothing was sent');
  } else {
    const write = { command: 'storage patch', method: 'PATCH', body, before, after } as const;
    await sendWrite(context, target, { ...write, findings });
  }
}

const NOT_CHECKED =
  'the row was not read: the patch is not tested, and there is no before-image to undo it';

async function readPatch(
  runtime: Runtime,
  file: string | undefined,
  typed: readonly TypedOperation[],
): Promise<PatchSource> {
  if (typed.length === 0) return patchOfFile(await readInput(runtime, file, 'the patch'));
  if (file === undefined) return patchOfFlags(typed);
  throw new UsageError(
    'a patch comes from a file or from --add, --replace and --remove, not from both',
  );
}

/** Applies the patch to the current row locally; the error of a failing operation names the value in its place. */
function tryOnRow(target: RowTarget, patch: PatchSource, before: Row): Simulation {
  const tried = tryPatchOf(patch, { kind: target.kind, against: before });
  const there = tried.row === undefined ? describeValueAt(before.value, patch.read.operations) : '';
  refuseErrors(
    tried.findings,
    `${patch.source} cannot be applied to the ${target.label} row${there}`,
  );
  return tried;
}
