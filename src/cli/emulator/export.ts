import { dirname } from 'node:path';
import { UsageError } from '../../errors.ts';
import { bytesText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { note, printJson, writeJson } from '../ui.ts';
import { controlBytes } from './control.ts';

export async function runExport(context: Context, path: string): Promise<void> {
  if (path === '-') {
    await printExport(context);
    return;
  }
  const disk = await context.disk();
  const folder = await disk.pathInfo(dirname(path), { followLinks: true });
  if (folder?.kind !== 'folder') throw new UsageError(`no such folder: ${dirname(path)}`);
  const file = await disk.temporaryFile(dirname(path), { secret: true });
  let bytes = 0;
  try {
    for await (const chunk of controlBytes(context, 'GET export')) {
      await file.write(chunk);
      bytes += chunk.length;
    }
    await file.moveTo(path);
  } finally {
    await file.discard();
  }
  if (context.options.json) await printJson(context, { file: path, bytes });
  await note(context, `exported all state to ${path}, ${bytesText(bytes)}`);
}

/** Lines of JSON as they come, with --json or without. */
async function printExport(context: Context): Promise<void> {
  const { stdout } = context;
  const decoder = new TextDecoder();
  for await (const chunk of controlBytes(context, 'GET export')) {
    if (stdout.broken) return;
    await writeJson(stdout, decoder.decode(chunk, { stream: true }));
  }
}
