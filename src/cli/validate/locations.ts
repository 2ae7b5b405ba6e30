import { validateLocations } from '../../validator/locations.ts';
import type { Context } from '../runtime.ts';
import { checkPayloads } from './payloads.ts';
import type { ReportOptions } from './report.ts';

export async function runLocations(
  context: Context<ReportOptions>,
  files: readonly string[],
): Promise<void> {
  await checkPayloads(context, 'locations', files, (bytes) => validateLocations(bytes));
}
