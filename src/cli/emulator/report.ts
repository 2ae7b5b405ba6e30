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
import { isFailure } from '../output/validate.ts';
import type { Context, Output } from '../runtime.ts';
import { hasNotes, note } from '../output/notes.ts';
import { isPlainPipe, printResults } from '../output/print.ts';
import { control } from './control.ts';
import { reportOptions } from './project-options.ts';
import type { EmulatorToolReportOptions } from './flags.ts';

export async function runReport(given: Context<EmulatorToolReportOptions>): Promise<void> {
  const context = reportOptions(given);
  const format = formatOf(context.options);
  const report = reportDocument(await control(context, 'GET report'));
  await printReport(context, report, format);
  failOn(context, report);
}

/** The report of an emulator, with the command that causes each situation. */
export function reportDocument({
  requests,
  findings,
  coverage,
  vary,
  chaos,
  ...observed
}: Answers['GET report']): ReportDocument {
  return {
    ...observed,
    requests,
    findings,
    coverage: coverage.map(({ words, seen, possible, how }) => ({
      situation: words,
      seen,
      possible,
      how,
    })),
    vary,
    chaos,
  };
}

const NEVER_MET_ON_TERMINAL = 10;

/** Prints a report: a page on a terminal, lines in a pipe, or a document. */
export async function printReport(
  context: Context<EmulatorToolReportOptions>,
  report: ReportDocument,
  format: Format,
): Promise<void> {
  if (format !== 'text') {
    const isSarif = format === 'sarif';
    const json = isSarif ? await sarifOf(report) : report;
    const isDocument = isSarif || format === 'json';
    const show = isDocument ? { json } : { raw: await fileText(report, format, context.options) };
    return printResults(context, { json, show });
  }
  const summary = reportSummary(report);
  if (!hasNotes(context)) return printResults(context, { show: summary });
  const { limit = NEVER_MET_ON_TERMINAL } = context.options;
  const terminal = {
    // Its parts are escaped already; escaping the whole would remove the colours.
    drawn: ({ columns: width, colors }: Output) =>
      `${reportText(report, { limit, width, colors })}\n`,
  };
  const pipe = reportTable(report, context.options.limit);
  await printResults(context, { show: { terminal, pipe, table: pipe } });
  if (isPlainPipe(context)) await note(context, summary);
}

export function formatByName(file: string): Format {
  if (file.endsWith('.sarif')) return 'sarif';
  return file.endsWith('.xml') ? 'junit' : 'json';
}

export async function fileText(
  report: ReportDocument,
  format: Format,
  { failOn: severity }: EmulatorToolReportOptions,
): Promise<string> {
  const strict = severity === 'warning';
  switch (format) {
    case 'github': {
      const { githubLines } = await import('../output/ci-formats.ts');
      const results = [{ source: REPORT_SOURCE, findings: reportedFindings(report) }];
      return githubLines(results, { strict, isOfFiles: false });
    }
    case 'junit': {
      const { junitXml } = await import('../output/ci-formats.ts');
      const cases = reportCases(report);
      return junitXml('lectern emulator report', cases, (each) => isFailure(each, strict));
    }
    case 'sarif':
      return `${JSON.stringify(await sarifOf(report), null, 2)}\n`;
    default:
      return `${JSON.stringify(report, null, 2)}\n`;
  }
}

const REPORT_SOURCE = 'emulator';

async function sarifOf(report: ReportDocument) {
  const { REPORT_KIND, sarifLog } = await import('../output/sarif.ts');
  const results = [{ source: REPORT_SOURCE, findings: reportedFindings(report) }];
  return sarifLog(results, REPORT_KIND, __VERSION__);
}

const SEVERITIES = ['error', 'warning'] as const;

/** Ends with exit 9 if there are findings of the selected severity. */
export function failOn(
  { options }: Context<EmulatorToolReportOptions>,
  report: ReportDocument,
): void {
  if (options.failOn === undefined) return;
  const severities = options.failOn === 'error' ? (['error'] as const) : SEVERITIES;
  const counts = severities
    .map((severity) => [countOf(report, severity), severity] as const)
    .filter(([count]) => count > 0)
    .map(([count, severity]) => countText(count, severity));
  if (counts.length === 0) return;
  const message = `the report has ${counts.join(' and ')} (--fail-on ${options.failOn})`;
  throw new ExitError(EXIT.failed, 'report.findings', message);
}
