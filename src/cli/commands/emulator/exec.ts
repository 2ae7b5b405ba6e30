import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function registerExec(parent: Command, runtime: Runtime): void {
  parent
    .command('exec')
    .summary('a fresh emulator beside a command')
    .usage('[options] -- command [arguments]')
    .description(
      'Run a command beside a fresh emulator that keeps nothing and ends with it. The command finds LECTERN_EMULATOR, LECTERN_HOME (a temporary one) and LECTERN_LAUNCH (a file with an instructor’s launch; student.json beside it has a student’s). The exit code is that of the command.',
    )
    .option('--seed <file>', 'its world, as JSON; "example" is one that comes with lectern')
    .argument('<command...>', 'the command, after --')
    .action(async (command: [string, ...string[]], _options, self: Command) => {
      const { runExec } = await import('../../emulator/exec.ts');
      await runExec(runtime, self.optsWithGlobals(), command);
    });
}
