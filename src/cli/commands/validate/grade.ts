import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addReportFlags, PAYLOADS_ARGUMENT } from './flags.ts';

export function registerGrade(parent: Command, runtime: Runtime): void {
  const grade = parent
    .command('grade')
    .summary('the body of a grade submission')
    .description("Check the body of a grade submission, with the service's own messages.")
    .argument('[file...]', PAYLOADS_ARGUMENT);
  addReportFlags(grade).action(async (files, _options, command: Command) => {
    const { runGrade } = await import('../../validate/grade.ts');
    await runGrade(runtime, command.optsWithGlobals(), files);
  });
}
