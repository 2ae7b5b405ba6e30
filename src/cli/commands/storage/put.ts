import type { Command } from 'commander';
import { readInput } from '../../input.ts';
import type { WriteOptions } from '../../rows/images.ts';
import { replaceRow } from '../../rows/replace.ts';
import type { Runtime } from '../../runtime.ts';
import { rowAndRest, rowTarget } from '../../target.ts';
import { addWriteFlags, ROW_ARGUMENT } from './flags.ts';

export function registerPut(parent: Command, runtime: Runtime): void {
  const put = parent
    .command('put')
    .summary('replace a row')
    .description(
      'Replace the whole row with a JSON object, sent byte for byte. Shows which keys would go, and asks.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[file]', 'the new row; - or nothing for standard input');
  addWriteFlags(put).action(async (row, file, _options, command: Command) => {
    await runPut(runtime, command.optsWithGlobals(), [row, file]);
  });
}

async function runPut(
  runtime: Runtime,
  options: WriteOptions,
  args: readonly (string | undefined)[],
): Promise<void> {
  const [row, file] = rowAndRest(options, args);
  const target = await rowTarget(runtime, options, 'storage', row);
  const input = await readInput(runtime, file, 'the new row');
  await replaceRow(runtime, options, target, { command: 'storage put', ...input });
}
