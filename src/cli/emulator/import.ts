import { UsageError } from '../../errors.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson } from '../ui.ts';
import { control } from './control.ts';

export async function runImport(
  runtime: Runtime,
  options: GlobalOptions,
  path: string,
): Promise<void> {
  const disk = await runtime.disk();
  const facts = await disk.facts(path, { followLinks: true });
  if (facts?.kind !== 'file') throw new UsageError(`there is no file ${path}`);
  const file = await disk.openFile(path, facts);
  try {
    const body = { length: facts.size, chunks: file.chunks };
    const done = await control(runtime, options, 'POST import', body);
    if (options.json) await printJson(runtime, done);
  } finally {
    await file.close();
  }
  await note(runtime, options, `the emulator is as it was when ${path} was written`);
}
