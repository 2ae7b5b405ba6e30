import { dirname } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { PathInfo } from '../../ports.ts';
import { inputChunks, sourceName, spool } from '../input/read.ts';
import { writeRawChunks } from '../output/print.ts';
import type { Result } from '../output/result.ts';
import { bytesText } from '../output/units.ts';
import type { CommandDisk, Called, Context } from '../runtime.ts';
import { isStandardOutput, outputPlace, writeOutput } from '../shared/write-output.ts';
import { control, controlBytes } from './control.ts';
import type { EXPORT_FLAGS } from './flags.ts';

export async function runExport(
  context: Called<typeof EXPORT_FLAGS>,
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

export async function runImport(context: Context, path: string): Promise<Result> {
  const disk = await context.disk();
  const facts = path === '-' ? undefined : await disk.pathInfo(path, { followLinks: true });
  if (path !== '-' && facts === undefined) throw new UsageError(`no such file: ${path}`);
  const notes = [`imported all state and the traffic from ${sourceName(path)}`];
  if (facts?.kind === 'file') return { json: await importFile(context, disk, path, facts), notes };
  const file = await spool(disk, inputChunks(context, path));
  try {
    return { json: await importFile(context, disk, file.path, await file.pathInfo()), notes };
  } finally {
    await file.discard();
  }
}

async function importFile(context: Context, disk: CommandDisk, path: string, facts: PathInfo) {
  const file = await disk.openFile(path, facts);
  try {
    const body = { length: facts.size, chunks: file.chunks };
    return await control(context, 'POST import', {}, { type: 'application/vnd.sqlite3', body });
  } finally {
    await file.close();
  }
}
