import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

const WATCH_INTERVAL_MS = 10_000;

export function registerCheck(parent: Command, runtime: Runtime): void {
  parent
    .command('check')
    .summary('ask which addresses of a launch answer')
    .description(
      'Read every row and file set of a launch, all at once, and say what answers. Nothing is written: grade and provision addresses are not called. Exits with the worst answer: 4, 8, 3, 7, 5, 6 in this order. A successful call restarts the idle time of the token.',
    )
    .argument('[name]', 'a saved launch or a file; the one in use unless told')
    .option('--watch', `ask again every ${WATCH_INTERVAL_MS / 1000} s and tell each change`)
    .action(async (name, _options, command: Command) => {
      const { runCheck } = await import('../../launch/check.ts');
      await runCheck(runtime, command.optsWithGlobals(), name, WATCH_INTERVAL_MS);
    });
}
