import { type Command, Option } from 'commander';
import { control } from '../../emulator/control.ts';
import { keepAndPrint } from '../../emulator/minted.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { note } from '../../ui.ts';
import { checkName } from '../../names.ts';

interface LaunchOptions extends GlobalOptions {
  readonly role?: string;
  readonly member?: string;
  readonly location?: string;
  readonly course?: string;
  readonly save?: string;
}

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
      await runLaunch(runtime, command.optsWithGlobals());
    });
}

async function runLaunch(runtime: Runtime, options: LaunchOptions): Promise<void> {
  if (options.save !== undefined) checkName(options.save);
  const { role, member, location, course } = options;
  const {
    claims,
    tool,
    passed_over: other,
  } = await control(runtime, options, 'POST launch', {
    ...(role === undefined && member === undefined ? { role: 'student' } : { role }),
    member,
    location,
    course,
  });
  if (other !== null) {
    await note(runtime, options, `${other.id} is ${other.status}: this is a launch of ${tool}`);
  }
  await keepAndPrint(runtime, options, claims);
}
