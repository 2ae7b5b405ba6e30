import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addSendFlags } from './flags.ts';

export function registerResume(parent: Command, runtime: Runtime): void {
  const command = parent
    .command('resume')
    .summary('go on with a run')
    .description(
      'Send the rows of a run that are not sent yet. The ledger has all that is needed; the file may be gone. A new launch or API key may be given.',
    )
    .argument('<run>', 'its number; lectern grade runs lists them')
    .option('--from <file>', 'say whether this is still the file that the run was made from')
    .option('--retry-failed', 'send those again that were recorded as failed, or refused')
    .option('--retry-in-doubt', 'send those again that are in doubt: some may be published twice')
    .option('--dry-run', 'show which rows would be sent, and send nothing');
  addSendFlags(command).action(async (run: string) => {
    const { runResume } = await import('../../grade/resume.ts');
    await runResume(runtime, command.optsWithGlobals(), run);
  });
}
