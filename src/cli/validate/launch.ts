import { decodeClaims, validateLaunch } from '../../validator/launch.ts';
import type { Runtime } from '../runtime.ts';
import { launchNamed } from '../session/launch.ts';
import { checkPayloads } from './payloads.ts';
import { type ReportOptions, reportResults } from './report.ts';

interface LaunchFlags extends ReportOptions {
  readonly contract?: string;
}

export async function runLaunch(
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
