import type { Command } from 'commander';
import { simulatePatch } from '../../../validator/patch.ts';
import { UsageError } from '../../errors.ts';
import { readInput } from '../../input.ts';
import { share } from '../../output/row-change.ts';
import type { Runtime } from '../../runtime.ts';
import { note } from '../../ui.ts';
import { checkPayloads, PAYLOADS_ARGUMENT, STANDARD_INPUT } from '../../validate/payloads.ts';
import { addReportFlags } from '../../validate/report.ts';
import { addKind, addSizeFlags, type RowFlags } from './row.ts';

interface PatchFlags extends RowFlags {
  readonly against?: string;
}

export function registerPatch(parent: Command, runtime: Runtime): void {
  const patch = parent
    .command('patch')
    .summary('the body of a PATCH')
    .description(
      'Check what a PATCH of a row would send: the { "patch": [ … ] } around it, every operation and every pointer. The service refuses an array alone, and so does this; lectern storage patch wraps it. With --against it is tried on a row by the rules of the service, and the size afterwards is told and checked.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT)
    .option('--against <rowfile>', 'the row as it reads now; - for standard input');
  addReportFlags(addSizeFlags(addKind(patch))).action(async (files, _options, command: Command) => {
    await runPatch(runtime, command.optsWithGlobals(), files);
  });
}

async function runPatch(
  runtime: Runtime,
  options: PatchFlags,
  files: readonly string[],
): Promise<void> {
  const against = await readAgainst(runtime, options, files);
  const { kind, warnAt } = options;
  await checkPayloads(runtime, options, 'patch', files, async (bytes, source) => {
    const { findings, size } = simulatePatch(bytes, { kind, warnAt, against });
    if (size !== undefined) {
      const part = kind === undefined ? '' : `, ${share(size, kind)}`;
      await note(runtime, options, `${source}: the row has ${size} bytes afterwards${part}`);
    }
    return findings;
  });
}

async function readAgainst(
  runtime: Runtime,
  { against }: PatchFlags,
  files: readonly string[],
): Promise<Uint8Array | undefined> {
  if (against === undefined) return undefined;
  if (against === STANDARD_INPUT && (files.length === 0 || files.includes(STANDARD_INPUT))) {
    throw new UsageError('the row and the patch cannot both come from standard input');
  }
  return (await readInput(runtime, against, 'the row')).bytes;
}
