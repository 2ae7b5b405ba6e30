import type { Command } from 'commander';
import { STATES } from '../../../ledger/ledger.ts';
import type { Runtime } from '../../runtime.ts';
import { addLimitFlag } from './flags.ts';

export function registerLog(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('log')
    .summary('search every attempt made from here')
    .description(
      'List the attempts that were made from here, single ones and those of runs, the newest first.',
    )
    .option('--member <id>', 'of this member')
    .option('--status <words>', `${STATES.join(', ')} or recorded; several with commas`)
    .option('--since <time>', 'no older than 2026-10-13, 2026-10-13T08:00Z, 90min, 12h or 7d')
    .option('--run <run>', 'of this run');
  addLimitFlag(command, 'no more than this many').action(async () => {
    const { runLog } = await import('../../grade/log.ts');
    await runLog(runtime, command.optsWithGlobals());
  });
}
