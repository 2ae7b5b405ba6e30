import { dirname } from 'node:path';
import { UsageError } from '../../errors.ts';
import { bytesText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { writeRawChunks } from '../output/print.ts';
import type { Result } from '../output/result.ts';
import { isStandardOutput, outputPlace, writeOutput } from '../shared/write-output.ts';
import { controlBytes } from './control.ts';
import type { EmulatorExportOptions } from './flags.ts';

export async function runExport(
  context: Context<EmulatorExportOptions>,
  path: string,
): Promise<Result | void> {
  const { redact } = context.options;
  const chunks = controlBytes(context, 'GET export', { redact });
  if (isStandardOutput(path)) return writeRawChunks(context, chunks);
  const disk = await context.disk();
  const folder = await disk.pathInfo(dirname(path), { followLinks: true });
  if (folder?.kind !== 'folder') throw new UsageError(`no such folder: ${dirname(path)}`);
  await outputPlace(context, path);
  const bytes = await writeOutput(context, path, chunks, { secret: true });
  const note = `exported all state and the traffic to ${path}, ${bytesText(bytes)}`;
  return { json: { file: path, bytes }, notes: [note] };
}
