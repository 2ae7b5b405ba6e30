import { validateGrade } from '../../validator/grade.ts';
import type { Context } from '../runtime.ts';
import { checkPayloads } from './payloads.ts';
import type { ReportOptions } from './report.ts';

export async function runGrade(
  context: Context<ReportOptions>,
  files: readonly string[],
): Promise<void> {
  await checkPayloads(context, 'grade', files, (bytes) => validateGrade(bytes));
}
