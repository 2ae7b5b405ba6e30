import { dirname } from 'node:path';
import { UsageError } from '../../errors.ts';
import { bytesText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson, writeRaw } from '../output/print.ts';
import { isStandardOutput, outputPlace, writeOutput } from '../shared/write-output.ts';
import { controlBytes } from './control.ts';
import type { EmulatorExportOptions } from './flags.ts';

export async function runExport(
  context: Context<EmulatorExportOptions>,
  path: string,
): Promise<void> {
  if (isStandardOutput(path)) {
    await printExport(context);
    return;
  }
  const disk = await context.disk();
  const folder = await disk.pathInfo(dirname(path), { followLinks: true });
  if (folder?.kind !== 'folder') throw new UsageError(`no such folder: ${dirname(path)}`);
  await outputPlace(context, path);
  const chunks = exportBytes(context);
  const bytes = await writeOutput(context, path, chunks, { secret: true });
  if (context.options.json) await printJson<'emulator export'>(context, { file: path, bytes });
  await note(context, `exported all state and the traffic to ${path}, ${bytesText(bytes)}`);
}

function exportBytes(context: Context<EmulatorExportOptions>): AsyncGenerator<Uint8Array> {
  const { redact } = context.options;
  return controlBytes(context, 'GET export', { redact });
}

async function printExport(context: Context<EmulatorExportOptions>): Promise<void> {
  for await (const chunk of exportBytes(context)) {
    if (context.stdout.broken) return;
    await writeRaw(context, chunk);
  }
}
