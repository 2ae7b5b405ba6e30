import { UsageError } from '../../errors.ts';
import type { Context } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runImport(context: Context, path: string): Promise<void> {
  const disk = await context.disk();
  const facts = await disk.pathInfo(path, { followLinks: true });
  if (facts?.kind !== 'file') throw new UsageError(`no such file: ${path}`);
  const file = await disk.openFile(path, facts);
  try {
    const body = { length: facts.size, chunks: file.chunks };
    const done = await control(context, 'POST import', body);
    if (context.options.json) await printJson(context, done);
  } finally {
    await file.close();
  }
  await note(context, `imported all state from ${path}`);
}
