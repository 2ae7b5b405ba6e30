import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addReportFlags } from './flags.ts';

export function registerKey(parent: Command, runtime: Runtime): void {
  const key = parent
    .command('key')
    .summary('the key of a file')
    .description(
      'Check file keys: their characters and their length. With a bad key comes a good one near it.',
    )
    .argument('[key...]', 'the keys; - or nothing for standard input, with a key on each line');
  addReportFlags(key).action(async (keys, _options, command: Command) => {
    const { runKey } = await import('../../validate/key.ts');
    await runKey(runtime, command.optsWithGlobals(), keys);
  });
}
