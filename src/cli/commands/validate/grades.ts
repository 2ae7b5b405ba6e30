import type { Command } from 'commander';
import type { Finding } from '../../../validator/finding.ts';
import { UsageError } from '../../errors.ts';
import { numberOf } from '../../grade/body.ts';
import { columnNames } from '../../grade/bulk/columns.ts';
import { type ReadingOptions, readRows } from '../../grade/bulk/rows.ts';
import type { Runtime } from '../../runtime.ts';
import type { Checked } from '../../output/validate.ts';
import { STANDARD_INPUT } from '../../validate/payloads.ts';
import { addReportFlags, type ReportOptions, reportResults } from '../../validate/report.ts';

interface GradesFlags extends ReportOptions {
  readonly map: readonly string[];
  readonly maxScore?: number;
  readonly lastWins?: boolean;
}

export function registerGrades(parent: Command, runtime: Runtime): void {
  const grades = parent
    .command('grades')
    .summary('a file of grades, for a bulk run')
    .description(
      'Check a file of grades as lectern grade submit --from reads it: CSV, or one JSON object a line. Every row is checked, and a member may have one only.',
    )
    .argument('[file...]', 'files, or - for standard input')
    .option(
      '--map <name=column>',
      'what a column of another name is; may be given several times',
      (each: string, before: readonly string[]) => [...before, each],
      [],
    )
    .option('--max-score <points>', 'what points are out of, where a row does not say', (text) =>
      numberOf('--max-score', text),
    )
    .option('--last-wins', 'of several rows of a member take the last');
  addReportFlags(grades).action(async (files, _options, command: Command) => {
    await runGrades(runtime, command.optsWithGlobals(), files);
  });
}

async function runGrades(
  runtime: Runtime,
  options: GradesFlags,
  named: readonly string[],
): Promise<void> {
  const { map, maxScore, lastWins } = options;
  const reading = { names: columnNames(map), maxScore, lastWins };
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
  if (path === STANDARD_INPUT) return checkRows(runtime.stdin.stream(), reading);
  const disk = await runtime.disk();
  const facts = await disk.facts(path, { followLinks: true });
  if (facts?.kind !== 'file') throw new UsageError(`there is no file ${JSON.stringify(path)}`);
  const file = await disk.openFile(path, facts);
  try {
    return await checkRows(file.chunks(), reading);
  } finally {
    await file.close();
  }
}

async function checkRows(
  chunks: AsyncIterable<Uint8Array>,
  reading: ReadingOptions,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const batch of readRows(chunks, reading)) findings.push(...batch.findings);
  return findings;
}
