import type { Command } from 'commander';
import { decodeClaims, validateLaunch } from '../../../validator/launch.ts';
import { CONTRACT_HELP, contractDate } from '../../launch/contract-date.ts';
import type { Runtime } from '../../runtime.ts';
import { launchNamed } from '../../target.ts';
import { checkPayloads, PAYLOADS_ARGUMENT } from '../../validate/payloads.ts';
import { addReportFlags, type ReportOptions, reportResults } from '../../validate/report.ts';

interface LaunchFlags extends ReportOptions {
  readonly contract?: string;
}

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
    await runLaunch(runtime, command.optsWithGlobals(), files);
  });
}

async function runLaunch(
  runtime: Runtime,
  options: LaunchFlags,
  files: readonly string[],
): Promise<void> {
  const how = { now: runtime.now(), contract: options.contract };
  if (files.length === 0 && options.launch !== undefined) {
    const { name, launch } = await launchNamed(runtime, options.launch);
    const { findings } = decodeClaims(launch.claims, how);
    await reportResults(runtime, options, 'launch', [{ source: name, findings }]);
    return;
  }
  await checkPayloads(runtime, options, 'launch', files, (bytes) => validateLaunch(bytes, how));
}
