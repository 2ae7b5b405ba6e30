import type { Command } from 'commander';
import { CONTRACT_HELP, contractDate } from '../../arguments/contract-date.ts';
import type { Runtime } from '../../runtime.ts';
import { addReportFlags, PAYLOADS_ARGUMENT } from './flags.ts';

export function registerLaunch(parent: Command, runtime: Runtime): void {
  const launch = parent
    .command('launch')
    .summary('a launch or provision request')
    .description(
      'Check a launch or provision request, in whatever form lectern launch decode takes it; with --launch and no file, a saved one. Its token is never shown.',
    )
    .argument('[file...]', PAYLOADS_ARGUMENT)
    .option('--contract <date>', CONTRACT_HELP, contractDate);
  addReportFlags(launch).action(async (files, _options, command: Command) => {
    const { runLaunch } = await import('../../validate/launch.ts');
    await runLaunch(runtime, command.optsWithGlobals(), files);
  });
}
