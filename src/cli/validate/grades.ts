import { quotedPath } from '../../contract/index.ts';
import { type Finding, toFinding } from '../../validator/finding.ts';
import { commandLine, readingOptions } from '../grade/bulk/options.ts';
import { byLine, checkRecords, type ReadingOptions } from '../../grades/checked-records.ts';
import { leftOutLine } from '../../grades/record-chooser.ts';
import type { ReadingNotes } from '../../grades/reading-notes.ts';
import { gradeChunks } from '../input/read.ts';
import type { Result } from '../output/result.ts';
import type { Runtime, Context } from '../runtime.ts';
import { checkInputs } from './results.ts';
import { VALIDATE_GRADES_FLAGS, type ValidateGradesOptions } from './flags.ts';

export async function runGrades(
  context: Context<ValidateGradesOptions>,
  named: readonly string[],
): Promise<Result> {
  const reading = await readingOptions(context, context.options);
  const usage = { missing: 'no grade file given', pass: 'a file' };
  return checkInputs(context, 'grades', named, usage, async (source) => ({
    source,
    findings: await checkFile(context, source, {
      ...reading,
      command: commandFor(context.options, source),
    }),
  }));
}

async function checkFile(
  runtime: Runtime,
  path: string,
  reading: ReadingOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  let leftOut: ReadingNotes['leftOut'] | undefined;
  // With --strict, warnings are errors in the results.
  const options = { ...reading, strict: false };
  for await (const batch of checkRecords(gradeChunks(runtime, path), options)) {
    for (const finding of batch.findings) findings.push(finding);
    leftOut = batch.columns?.notes.leftOut ?? leftOut;
  }
  for (const [reason, { lines }] of leftOut ?? []) {
    const finding = toFinding(leftOutLine(reason));
    for (const line of lines) findings.push({ ...finding, line });
  }
  return findings.toSorted(byLine);
}

function commandFor(options: ValidateGradesOptions, source: string): string {
  return commandLine(`validate grades ${quotedPath(source)}`, VALIDATE_GRADES_FLAGS, options);
}
