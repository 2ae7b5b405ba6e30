import type { Command } from 'commander';
import { verb } from './group.ts';
import type { Runtime } from '../runtime.ts';

export function register(program: Command, runtime: Runtime, summary: string): void {
  program
    .command('doctor')
    .summary(summary)
    .description(
      'Check what lectern depends on: its folders and their permissions, the keychain, the ledger, Node, proxies and certificates. Makes no network requests. Exits with 1 if a check fails.',
    )
    .action(
      verb(runtime, async (context) => {
        const { runDoctor } = await import('../doctor/doctor.ts');
        await runDoctor(context);
      }),
    );
}
