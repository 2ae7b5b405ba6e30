import { UsageError } from '../../errors.ts';
import type { PathInfo } from '../../ports.ts';
import type { CommandDisk, Context } from '../runtime.ts';
import type { Result } from '../output/result.ts';
import { inputChunks, sourceName, spool } from '../input/read.ts';
import { control } from './control.ts';

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
