import type { Command } from 'commander';
import type { Runtime } from '../runtime.ts';
import { verb } from './group.ts';

export function registerConsole(parent: Command, runtime: Runtime): void {
  parent
    .command('open')
    .summary('open the console in a browser')
    .description(
      'Open the console of a running emulator in a browser: its rows, files, gradebook, traffic, clock, faults, tokens, tools and report. The address lets one page in, once and within 60 seconds.',
    )
    .argument(
      '[page]',
      'overview, launch, rows, files, gradebook, traffic, clock, faults, tokens, tools or report',
    )
    .option('--print', 'print the address instead of opening it')
    .action(
      verb(runtime, async (context, page) => {
        const { runOpen } = await import('../emulator/open.ts');
        await runOpen(context, page);
      }),
    );
}
