import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerProvisionRequest(parent: Command, runtime: Runtime): void {
  parent
    .command('provision-request')
    .summary('ask the tool to make a course ready')
    .description(
      'Mint a provision request, print its claims, and keep it by name with --save. Until its finish call, or 3 hours later, it is the same one.',
    )
    .option('--course <id>', 'for this course; else for one that waits to be made ready')
    .option('--from <course>', 'as a copy of this course; copied now where there is no copy yet')
    .option('--save <name>', 'keep the request by this name')
    .action(async (_options, command: Command) => {
      const { runProvisionRequest } = await import('../../emulator/provision-request.ts');
      await runProvisionRequest(runtime, command.optsWithGlobals());
    });
}
