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
  const chunks = controlBytes(context, 'GET export');
  const bytes = await writeOutput(context, path, chunks, { secret: true });
  if (context.options.json) await printJson<'emulator export'>(context, { file: path, bytes });
  await note(context, `exported all state to ${path}, ${bytesText(bytes)}`);
}

async function printExport(context: Context): Promise<void> {
  for await (const chunk of controlBytes(context, 'GET export')) {
    if (context.stdout.broken) return;
    await writeRaw(context, chunk);
  }
}
