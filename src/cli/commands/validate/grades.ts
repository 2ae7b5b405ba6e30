import type { Command } from 'commander';
import type { Runtime } from '../../runtime.ts';
import { addReadingFlags } from '../grade/flags.ts';
import { addReportFlags } from './flags.ts';

export function registerGrades(parent: Command, runtime: Runtime): void {
  const grades = parent
    .command('grades')
    .summary('a file of grades, for a bulk run')
    .description(
      'Check a file of grades as lectern grade submit --from reads it: CSV, or one JSON object a line. Every row is checked, and a member may have one only.',
    )
    .argument('[file...]', 'files, or - for standard input')
    .option('--max-score <points>', 'what points are out of, where a row does not say');
  addReportFlags(addReadingFlags(grades)).action(async (files, _options, command: Command) => {
    const { runGrades } = await import('../../validate/grades.ts');
    await runGrades(runtime, command.optsWithGlobals(), files);
  });
}
