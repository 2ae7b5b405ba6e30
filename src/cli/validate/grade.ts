import { validateGrade } from '../../validator/grade.ts';
import type { Runtime } from '../runtime.ts';
import { checkPayloads } from './payloads.ts';
import type { ReportOptions } from './report.ts';

export async function runGrade(
  runtime: Runtime,
  options: ReportOptions,
  files: readonly string[],
): Promise<void> {
  await checkPayloads(runtime, options, 'grade', files, (bytes) => validateGrade(bytes));
}
