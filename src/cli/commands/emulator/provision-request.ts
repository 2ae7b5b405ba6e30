import type { Command } from 'commander';
import { control } from '../../emulator/control.ts';
import { keepAndPrint } from '../../emulator/minted.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { checkName } from '../../names.ts';

interface ProvisionRequestOptions extends GlobalOptions {
  readonly course?: string;
  readonly from?: string;
  readonly save?: string;
}

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
      await runProvisionRequest(runtime, command.optsWithGlobals());
    });
}

async function runProvisionRequest(
  runtime: Runtime,
  options: ProvisionRequestOptions,
): Promise<void> {
  const { course, from, save } = options;
  if (save !== undefined) checkName(save);
  const { claims } = await control(runtime, options, 'POST provision-request', { course, from });
  await keepAndPrint(runtime, options, claims);
}
