import type { Command } from 'commander';
import { validateGrade } from '../../../validator/grade.ts';
import type { Runtime } from '../../runtime.ts';
import { checkPayloads, PAYLOADS_ARGUMENT } from '../../validate/payloads.ts';
import { addReportFlags, type ReportOptions } from '../../validate/report.ts';

export function registerGrade(parent: Command, runtime: Runtime): void {
  const grade = parent
    .command('grade')
    .summary('the body of a grade submission')
    .description("Check the body of a grade submission, with the service's own messages.")
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(grade).action(async (files, _options, command: Command) => {
    const options: ReportOptions = command.optsWithGlobals();
    await checkPayloads(runtime, options, 'grade', files, (bytes) => validateGrade(bytes));
  });
}
