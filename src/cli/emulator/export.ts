import { dirname } from 'node:path';
import { UsageError } from '../../errors.ts';
import { bytesText } from '../output/units.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printJson, writeJson } from '../ui.ts';
import { controlBytes } from './control.ts';

export async function runExport(
  runtime: Runtime,
  options: GlobalOptions,
  path: string,
): Promise<void> {
  if (path === '-') {
    await printExport(runtime, options);
    return;
  }
  const disk = await runtime.disk();
  const folder = await disk.facts(dirname(path), { followLinks: true });
  if (folder?.kind !== 'folder') throw new UsageError(`there is no folder ${dirname(path)}`);
  const file = await disk.temporaryFile(dirname(path), { secret: true });
  let bytes = 0;
  try {
    for await (const chunk of controlBytes(runtime, options, 'GET export')) {
      await file.write(chunk);
      bytes += chunk.length;
    }
    await file.moveTo(path);
  } finally {
    await file.discard();
  }
  if (options.json) await printJson(runtime, { file: path, bytes });
  await note(runtime, options, `${path} holds everything, ${bytesText(bytes)}`);
}

/** Lines of JSON as they come, with --json or without. */
async function printExport(runtime: Runtime, options: GlobalOptions): Promise<void> {
  const { stdout } = runtime;
  const decoder = new TextDecoder();
  for await (const chunk of controlBytes(runtime, options, 'GET export')) {
    if (stdout.broken) return;
    await writeJson(stdout, decoder.decode(chunk, { stream: true }));
  }
}
