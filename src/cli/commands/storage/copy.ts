import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
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
    const { runCopy } = await import('../../storage/copy.ts');
    await runCopy(runtime, command.optsWithGlobals(), from, to);
  });
}
