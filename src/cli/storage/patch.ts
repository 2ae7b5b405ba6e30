import type { StoragePatchOptions } from './flags.ts';
import { patchBody, tryPatch } from '../../validator/patch.ts';
import { UsageError } from '../../errors.ts';
import { readInput } from '../input/read.ts';
import type { Result } from '../output/result.ts';
import type { Runtime, Context } from '../runtime.ts';
import { noteWarnings, note } from '../output/notes.ts';
import { refuseErrors } from '../ask.ts';
import { dryRun } from '../output/dry-run.ts';
import { rowTargetAndRest } from '../session/row.ts';
import { runBlindWrite, runChange } from './change.ts';
import {
  patchOfFile,
  patchOfFlags,
  type PatchSource,
  type TypedOperation,
} from './patch-source.ts';

export async function runPatch(
  context: Context<StoragePatchOptions>,
  ...args: (string | undefined)[]
): Promise<Result> {
  const { options } = context;
  const { typed = [] } = options;
  const [target, file] = await rowTargetAndRest(context, 'storage', args);
  const { source, patch } = await readPatch(context, file, typed);
  const { findings } = tryPatch(patch, { kind: target.kind });
  refuseErrors(findings, `${source} is not a valid patch`);
  const command = 'storage patch';
  if (options.check === false) {
    await noteWarnings(context, findings);
    await note(context, NOT_CHECKED);
    const write = { command, method: 'PATCH', body: patchBody(patch) } as const;
    return options.dryRun
      ? dryRun({ ...write, url: target.url, findings })
      : runBlindWrite(context, target, write, findings);
  }
  return runChange(
    context,
    target,
    { method: 'PATCH', command, source, plan: () => patch },
    { unchanged: () => 'the patch changes nothing; nothing was sent' },
  );
}

const NOT_CHECKED =
  'the row was not read: the patch is not tested, and no previous version is kept to undo it';

async function readPatch(
  runtime: Runtime,
  file: string | undefined,
  typed: readonly TypedOperation[],
): Promise<PatchSource> {
  if (typed.length === 0) return patchOfFile(await readInput(runtime, file, 'the patch'));
  const patch = patchOfFlags(typed);
  if (file === undefined) return patch;
  throw new UsageError(
    'a patch comes from a file or from --add, --replace and --remove, not from both',
  );
}
