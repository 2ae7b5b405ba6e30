import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { ROW_ARGUMENT } from './flags.ts';

export function registerGet(parent: Command, runtime: Runtime): void {
  parent
    .command('get')
    .summary('print a row')
    .description(
      'Print a row, or the value at a JSON pointer in it, laid out. Numbers, escapes and names stay as the service wrote them.',
    )
    .argument('[row]', ROW_ARGUMENT)
    .argument('[pointer]', 'an RFC 6901 pointer, such as /settings/theme')
    .option('--raw', 'the very bytes, nothing added and nothing laid out')
    .action(async (row, pointer, _options, command: Command) => {
      const { runGet } = await import('../../storage/get.ts');
      await runGet(runtime, command.optsWithGlobals(), [row, pointer]);
    });
}
