import type { Command } from 'commander';
import { UsageError } from '../../errors.ts';
import type { WriteOptions } from '../../rows/images.ts';
import { replaceRow } from '../../rows/replace.ts';
import type { Runtime } from '../../runtime.ts';
import { rowTarget } from '../../target.ts';
import { addWriteFlags, ROW_ARGUMENT } from './flags.ts';

export function registerCopy(parent: Command, runtime: Runtime): void {
  const copy = parent
    .command('copy')
    .summary('replace a row with another one')
    .description(
      'Replace the whole row TO with the bytes of FROM, for example parent_context with context. Shows which keys would go, and asks.',
    )
    .argument('<from>', ROW_ARGUMENT)
    .argument('<to>', ROW_ARGUMENT);
  addWriteFlags(copy).action(async (from, to, _options, command: Command) => {
    await runCopy(runtime, command.optsWithGlobals(), from, to);
  });
}

async function runCopy(
  runtime: Runtime,
  options: WriteOptions,
  from: string,
  to: string,
): Promise<void> {
  if (options.url !== undefined) {
    throw new UsageError('--url names one row, and copy has two', 'give the URLs as FROM and TO');
  }
  const source = await rowTarget(runtime, options, 'storage', from);
  const target = await rowTarget(runtime, options, 'storage', to);
  if (source.url === target.url) throw new UsageError('FROM and TO are the same row');
  await replaceRow(runtime, options, target, {
    command: 'storage copy',
    source: `the ${source.label} row`,
    bytes: await source.client.getRow(source.url),
  });
}
