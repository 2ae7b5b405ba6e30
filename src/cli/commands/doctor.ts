import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('doctor')
    .summary(summary)
    .description(
      'Look over what lectern depends on: where it keeps things and who can read them, the keychain, the ledger, Node, proxies and certificates. Calls nobody. Exits with 1 when something is wrong.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runDoctor } = await import('../doctor/doctor.ts');
        await runDoctor(context);
      }),
    );
}
