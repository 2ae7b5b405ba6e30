import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerRequests(parent: Command, runtime: Runtime): void {
  parent
    .command('requests')
    .summary('the traffic')
    .description(
      'Show the latest requests to the API and to the signed addresses, secrets taken out; with --json a line each.',
    )
    .option('-f, --follow', 'go on with each new one until Ctrl-C')
    .action(async (_options, command: Command) => {
      const { runRequests } = await import('../../emulator/requests.ts');
      await runRequests(runtime, command.optsWithGlobals());
    });
}
