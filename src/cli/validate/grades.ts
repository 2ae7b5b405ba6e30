import type { Finding } from '../../validator/finding.ts';
import { readingOptions } from '../grade/bulk/options.ts';
import { byLine, type ReadingOptions, checkRecords } from '../../grades/checked-records.ts';
import { gradeChunks } from '../input/read.ts';
import type { Runtime, Context } from '../runtime.ts';
import { checkInputs } from './results.ts';
import type { ValidateGradesOptions } from './flags.ts';

export async function runGrades(
  context: Context<ValidateGradesOptions>,
  named: readonly string[],
): Promise<void> {
  const reading = readingOptions(context.options);
  const usage = { missing: 'no grade file given', pass: 'a file' };
  await checkInputs(context, 'grades', named, usage, async (source) => ({
    source,
    findings: await checkFile(context, source, reading),
  }));
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
