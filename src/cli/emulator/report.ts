import type { ReportDocument } from '../output/emulator-forms.ts';
import type { Answers } from '../../emulator/index.ts';
import { type Format, formatOf } from '../arguments/formats.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import {
  countOf,
  reportSummary,
  reportTable,
  reportText,
  reportCases,
  reportedFindings,
} from '../output/tool-report.ts';
import { countText } from '../output/units.ts';
import { REPORT_KIND } from '../output/validate.ts';
import type { Context, Output } from '../runtime.ts';
import { hasNotes, note } from '../output/notes.ts';
import { isPlainPipe, printResults } from '../output/print.ts';
import { control } from './control.ts';
import { isStandardOutput, writeOutput } from '../shared/write-output.ts';
import { reportOptions } from './project-options.ts';
import type { EmulatorToolReportOptions } from './flags.ts';

export async function runReport(given: Context<EmulatorToolReportOptions>): Promise<void> {
  const context = reportOptions(given);
  formatOf(context.options);
  failOn(context, await giveReport(context, await control(context, 'GET report')));
}

/**
 * Writes a report to the file, in the format of its name unless one is given; prints it without one,
 * or with `-`.
 */
export async function giveReport(
  context: Context<EmulatorToolReportOptions & { readonly force?: boolean }>,
  answer: Answers['GET report'],
  file?: string,
): Promise<ReportDocument> {
  const { options } = context;
  const report = reportDocument(answer);
  if (file === undefined || isStandardOutput(file)) {
    await printReport(context, report, formatOf(options));
    return report;
  }
  const shown = await inFormatOf(options.format ?? formatByName(file), report, options);
  const text = 'raw' in shown ? shown.raw : `${JSON.stringify(shown.json, null, 2)}\n`;
  await writeOutput(context, file, [Buffer.from(text)]);
  const verdict = reportSummary(report);
  if (hasNotes(context)) await note(context, `${verdict}; the report is in ${file}`);
  else await printResults(context, { show: verdict });
  return report;
}

/** The report of an emulator, with the command that causes each situation. */
export function reportDocument(answer: Answers['GET report']): ReportDocument {
  const coverage = answer.coverage.map(({ words: situation, seen, possible, how }) => {
    return { situation, seen, possible, how };
  });
  return { ...answer, coverage };
}

const NEVER_MET_ON_TERMINAL = 10;

/** Prints a report: a page on a terminal, lines in a pipe, or a document. */
async function printReport(
  context: Context<EmulatorToolReportOptions>,
  report: ReportDocument,
  format: Format,
): Promise<void> {
  const { options } = context;
  if (format !== 'text') {
    const shown = await inFormatOf(format, report, options);
    return printResults(context, { json: report, ...shown, show: shown });
  }
  const summary = reportSummary(report);
  if (!hasNotes(context)) return printResults(context, { show: summary });
  const { limit = NEVER_MET_ON_TERMINAL } = options;
  const terminal = {
    // Its parts are escaped already; escaping the whole would remove the colours.
    drawn: ({ columns: width, colors }: Output) =>
      `${reportText(report, { limit, width, colors })}\n`,
  };
  const pipe = reportTable(report, options.limit);
  await printResults(context, { show: { terminal, pipe, table: pipe } });
  if (isPlainPipe(context)) await note(context, summary);
}

function formatByName(file: string): Exclude<Format, 'text'> {
  if (file.endsWith('.sarif')) return 'sarif';
  return file.endsWith('.xml') ? 'junit' : 'json';
}

async function inFormatOf(
  format: Format,
  report: ReportDocument,
  { failOn: severity }: EmulatorToolReportOptions,
) {
  const { inFormat } = await import('../output/ci-formats.ts');
  return inFormat(format === 'text' ? 'json' : format, {
    results: [{ source: 'emulator', findings: reportedFindings(report) }],
    kind: REPORT_KIND,
    strict: severity === 'warning',
    isOfFiles: false,
    json: report,
    suite: 'lectern emulator report',
    cases: () => reportCases(report),
  });
}

const SEVERITIES = ['error', 'warning'] as const;

/**
 * Ends with exit 9 if there are findings of the selected severity. The verdict, which is the last line,
 * has their number: only without one, the error has it too.
 */
export function failOn(
  { options }: Context<EmulatorToolReportOptions>,
  report: ReportDocument,
  file?: string,
): void {
  const error = reportFailure(options, report);
  if (error === undefined) return;
  const isInFile = file !== undefined && !isStandardOutput(file);
  const printed = formatOf(isInFile ? { ...options, format: undefined } : options);
  throw printed === 'text' ? new ExitError(error.exit, error.code) : error;
}

/** The error if there are findings of the selected severity. */
export function reportFailure(
  options: EmulatorToolReportOptions,
  report: ReportDocument,
): ExitError | undefined {
  if (options.failOn === undefined) return undefined;
  const severities = options.failOn === 'error' ? (['error'] as const) : SEVERITIES;
  const counts = severities
    .map((severity) => [countOf(report, severity), severity] as const)
    .filter(([count]) => count > 0)
    .map(([count, severity]) => countText(count, severity));
  if (counts.length === 0) return undefined;
  const message = `the report has ${counts.join(' and ')} (--fail-on ${options.failOn})`;
  return new ExitError(EXIT.failed, 'report.findings', message);
}
