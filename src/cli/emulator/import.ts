import { UsageError } from '../../errors.ts';
import type { PathInfo } from '../../ports.ts';
import type { CommandDisk, Context } from '../runtime.ts';
import { note } from '../output/notes.ts';
import { printJson } from '../output/print.ts';
import { inputChunks, sourceName, spool } from '../input/read.ts';
import { control } from './control.ts';

export async function runImport(context: Context, path: string): Promise<void> {
  const disk = await context.disk();
  const facts = path === '-' ? undefined : await disk.pathInfo(path, { followLinks: true });
  if (path !== '-' && facts === undefined) throw new UsageError(`no such file: ${path}`);
  if (facts?.kind === 'file') await importFile(context, disk, path, facts);
  else {
    const file = await spool(disk, inputChunks(context, path));
    try {
      await importFile(context, disk, file.path, await file.pathInfo());
    } finally {
      await file.discard();
    }
  }
  await note(context, `imported all state and the traffic from ${sourceName(path)}`);
}

async function importFile(
  context: Context,
  disk: CommandDisk,
  path: string,
  facts: PathInfo,
): Promise<void> {
  const file = await disk.openFile(path, facts);
  try {
    const body = { length: facts.size, chunks: file.chunks };
    const raw = { type: 'application/vnd.sqlite3', body };
    const done = await control(context, 'POST import', {}, raw);
    if (context.options.json) await printJson(context, done);
  } finally {
    await file.close();
  }
}
