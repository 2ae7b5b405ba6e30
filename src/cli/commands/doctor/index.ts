import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('doctor')
    .summary(summary)
    .description(
      'Look over what lectern depends on: where it keeps things and who can read them, the keychain, the ledger, Node, proxies and certificates. Calls nobody. Exits with 1 when something is wrong.',
    )
    .action(async (_options, command: Command) => {
      const { runDoctor } = await import('../../doctor/doctor.ts');
      await runDoctor(runtime, command.optsWithGlobals());
    });
}
