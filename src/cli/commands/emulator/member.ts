import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { group } from '../group.ts';

export function registerMember(parent: Command, runtime: Runtime): void {
  group(parent, 'member', 'the members of courses')
    .command('remove')
    .summary('let somebody leave the course')
    .description('Let a member leave the course: the tokens end at once, the rows stay.')
    .argument('<id>', 'the member, as in user.member')
    .action(async (id, _options, command: Command) => {
      const { runRemove } = await import('../../emulator/member.ts');
      await runRemove(runtime, command.optsWithGlobals(), id);
    });
}
