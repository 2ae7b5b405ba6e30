import type { Command } from 'commander';
import { control } from '../../emulator/control.ts';
import { group } from '../../group.ts';
import type { GlobalOptions, Runtime } from '../../runtime.ts';
import { note, printJson } from '../../ui.ts';

export function registerMember(parent: Command, runtime: Runtime): void {
  group(parent, 'member', 'the members of courses')
    .command('remove')
    .summary('let somebody leave the course')
    .description('Let a member leave the course: the tokens end at once, the rows stay.')
    .argument('<id>', 'the member, as in user.member')
    .action(async (id, _options, command: Command) => {
      await runRemove(runtime, command.optsWithGlobals(), id);
    });
}

async function runRemove(runtime: Runtime, options: GlobalOptions, member: string): Promise<void> {
  const done = await control(runtime, options, 'POST member/remove', { member });
  if (options.json) await printJson(runtime, done);
  await note(runtime, options, `${member} has left; tokens ended: ${done.ended}`);
}
