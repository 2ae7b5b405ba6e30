import type { Command } from 'commander';
import type { Finding } from '../../../validator/finding.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { addReadingFlags, type ReadingFlags, readingOptions } from '../../grade/bulk/flags.ts';
import { type ReadingOptions, readRows } from '../../grade/bulk/rows.ts';
import { inputPieces } from '../../input.ts';
import type { Checked } from '../../output/validate.ts';
import type { Runtime } from '../../runtime.ts';
import { STANDARD_INPUT } from '../../validate/payloads.ts';
import { addReportFlags, type ReportOptions, reportResults } from '../../validate/report.ts';

interface GradesFlags extends ReportOptions, ReadingFlags {}

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
    await runGrades(runtime, command.optsWithGlobals(), files);
  });
}

async function runGrades(
  runtime: Runtime,
  options: GradesFlags,
  named: readonly string[],
): Promise<void> {
  const reading = readingOptions(options);
  if (named.length === 0 && runtime.stdin.isTerminal) {
    throw new UsageError('where are the grades?', 'give a file, or - for standard input');
  }
  const results: Checked[] = [];
  for (const source of named.length === 0 ? [STANDARD_INPUT] : named) {
    results.push({ source, findings: await checkFile(runtime, source, reading) });
  }
  await reportResults(runtime, options, 'grades', results);
}

async function checkFile(
  runtime: Runtime,
  path: string,
  reading: ReadingOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const batch of readRows(inputPieces(runtime, path), reading)) {
    if (runtime.interrupt.aborted) throw new InterruptedError('interrupted');
    findings.push(...batch.findings);
  }
  return findings;
}
