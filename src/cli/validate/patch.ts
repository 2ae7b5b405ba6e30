import { simulatePatch } from '../../validator/patch.ts';
import { UsageError } from '../../errors.ts';
import { readInput } from '../input/read.ts';
import { share } from '../output/row-change.ts';
import type { Context } from '../runtime.ts';
import { note } from '../ui.ts';
import { checkPayloads, STANDARD_INPUT } from './payloads.ts';
import type { RowFlags } from './row.ts';

interface PatchFlags extends RowFlags {
  readonly against?: string;
}

export async function runPatch(
  context: Context<PatchFlags>,
  files: readonly string[],
): Promise<void> {
  const against = await readAgainst(context, files);
  const { kind, warnAt } = context.options;
  await checkPayloads(context, 'patch', files, async (bytes, source) => {
    const { findings, size } = simulatePatch(bytes, { kind, warnAt, against });
    if (size !== undefined) {
      const part = kind === undefined ? '' : `, ${share(size, kind)}`;
      await note(context, `${source}: the resulting row has ${size} bytes${part}`);
    }
    return findings;
  });
}

async function readAgainst(
  context: Context<PatchFlags>,
  files: readonly string[],
): Promise<Uint8Array | undefined> {
  const { against } = context.options;
  if (against === undefined) return undefined;
  if (against === STANDARD_INPUT && (files.length === 0 || files.includes(STANDARD_INPUT))) {
    throw new UsageError('the row and the patch cannot both come from standard input');
  }
  return (await readInput(context, against, 'the row')).bytes;
}
