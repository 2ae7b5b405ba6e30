import { type Command, Option } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerLaunch(parent: Command, runtime: Runtime): void {
  parent
    .command('launch')
    .summary('launch the tool as somebody')
    .description('Mint a launch, print its claims, and keep it by name with --save.')
    .addOption(
      new Option('--role <role>', 'as whom; a member that is named must have it').choices([
        'student',
        'assistant',
        'instructor',
        'manager',
      ]),
    )
    .option('--member <id>', 'as this member')
    .option('--location <id>', 'in this location')
    .option('--course <id>', 'in this course')
    .option('--save <name>', 'keep the launch by this name')
    .action(async (_options, command: Command) => {
      const { runLaunch } = await import('../../emulator/launch.ts');
      await runLaunch(runtime, command.optsWithGlobals());
    });
}
