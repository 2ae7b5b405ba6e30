import type { Finding } from '../../validator/finding.ts';
import { UsageError } from '../../errors.ts';
import { readingOptions } from '../grade/bulk/options.ts';
import { byLine, type ReadingOptions, checkRecords } from '../../grades/checked-records.ts';
import { gradeChunks } from '../input/read.ts';
import type { Checked } from '../output/validate.ts';
import type { Runtime, Context } from '../runtime.ts';
import { STANDARD_INPUT } from './payloads.ts';
import { reportResults } from './results.ts';
import type { ValidateGradesOptions } from './flags.ts';

export async function runGrades(
  context: Context<ValidateGradesOptions>,
  named: readonly string[],
): Promise<void> {
  const reading = readingOptions(context.options);
  if (named.length === 0 && context.stdin.isTerminal) {
    throw new UsageError('no grade file given', 'pass a file, or - for standard input');
  }
  const results: Checked[] = [];
  for (const source of named.length === 0 ? [STANDARD_INPUT] : named) {
    results.push({ source, findings: await checkFile(context, source, reading) });
  }
  await reportResults(context, 'grades', results);
}

async function checkFile(
  runtime: Runtime,
  path: string,
  reading: ReadingOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const batch of checkRecords(gradeChunks(runtime, path), reading)) {
    for (const finding of batch.findings) findings.push(finding);
  }
  return findings.toSorted(byLine);
}
