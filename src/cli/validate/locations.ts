import { validateLocations } from '../../validator/locations.ts';
import type { Runtime } from '../runtime.ts';
import { checkPayloads } from './payloads.ts';
import type { ReportOptions } from './report.ts';

export async function runLocations(
  runtime: Runtime,
  options: ReportOptions,
  files: readonly string[],
): Promise<void> {
  await checkPayloads(runtime, options, 'locations', files, (bytes) => validateLocations(bytes));
}
