import { decodeClaims, validateLaunch } from '../../validator/launch.ts';
import type { Context } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import { checkPayloads } from './payloads.ts';
import { type ReportOptions, reportResults } from './report.ts';

interface LaunchFlags extends ReportOptions {
  readonly contract?: string;
}

export async function runLaunch(
  context: Context<LaunchFlags>,
  files: readonly string[],
): Promise<void> {
  const { options } = context;
  const how = { now: context.now(), contract: options.contract };
  if (files.length === 0 && options.launch !== undefined) {
    const { name, launch } = await launchNamed(context, options.launch);
    const { findings } = decodeClaims(launch.claims, how);
    await reportResults(context, 'launch', [{ source: name, findings }]);
    return;
  }
  await checkPayloads(context, 'launch', files, (bytes) => validateLaunch(bytes, how));
}
