import type { Finding } from '../../validator/finding.ts';
import { type FindingGroup, groupFindings } from './group-findings.ts';
import type { Colors } from '../colors.ts';
import { paintSeverity } from './paint.ts';
import { withCommand } from './command-hints.ts';
import { escapeText } from '../../contract/escape.ts';
import { type ListColumns, tableOf } from './columns.ts';
import type { Table } from './table.ts';
import { countText } from './units.ts';
import { wrapLines } from './wrap.ts';

/** The findings in one payload. */
export interface Checked {
  /** The file or folder as it was named, the key itself, or `-` for standard input. */
  readonly source: string;
  readonly findings: readonly Finding[];
  /** The file of a finding if it is not the source: a file of a hosted tool. */
  readonly files?: ReadonlyMap<Finding, string>;
}

/** The name of the file that a finding is about; `-` for standard input. */
export function fileOf(source: string, file: string | undefined): string {
  return file === undefined ? source : `${source.replace(/(?<!\/)\/+$/, '')}/${file}`;
}

/** Each finding with the name of its file. */
export function located(results: readonly Checked[]): { file: string; finding: Finding }[] {
  return results.flatMap(({ source, findings, files }) =>
    findings.map((finding) => ({ file: fileOf(source, files?.get(finding)), finding })),
  );
}

/** The `kind` of the emulator's report, whose findings are about requests. */
export const REPORT_KIND = 'emulator-report';

/** The maximum that code scanning accepts in a run. */
export const SARIF_MAX_RESULTS = 25_000;

/** Whether the service would accept the payload; if `strict`, without a doubt. Notes do not count. */
export function isValid({ findings }: Checked, strict: boolean): boolean {
  return findings.every((finding) => !isFailure(finding, strict));
}

export function isFailure({ severity }: Finding, strict: boolean): boolean {
  return severity === 'error' || (severity === 'warning' && strict);
}

/** The results as `--json` prints them. */
export function resultsJson(results: readonly Checked[], strict: boolean) {
  return results.map((result) => ({
    source: result.source,
    valid: isValid(result, strict),
    findings: result.findings.map(findingJson),
  }));
}

function findingJson({ code, severity, path, line, column, message, rule, hint }: Finding) {
  return { code, severity, path, line, column, message, rule, hint: withCommand(code, hint) };
}

/** The findings in a pipe. */
export const FINDINGS = {
  source: {},
  severity: {},
  code: {},
  line: {},
  column: {},
  path: {},
  message: {},
  hint: {},
  rule: {},
} satisfies ListColumns;

export function findingsTable(results: readonly Checked[]): Table {
  const items = results.flatMap(({ source, findings }) =>
    findings.map((finding) => ({ source, ...findingJson(finding) })),
  );
  return tableOf(FINDINGS, items);
}

/** The findings for a terminal, wrapped to `width` columns so that nothing is cut off. */
export function findingsText(results: readonly Checked[], width: number, colors: Colors): string {
  const blocks = results.map(({ source, findings }) => [
    `${escapeText(source)}${findings.length === 0 ? ': no findings' : ''}`,
    ...groupFindings(findings).flatMap(findingLines),
  ]);
  const lines = wrapLines(blocks.flat(), width);
  return lines.map((line) => paintSeverity(colors, line)).join('\n');
}

function findingLines({ finding, count, lines }: FindingGroup): string[] {
  const { severity, message, code, hint, rule } = finding;
  const place = count === 1 ? placeOf(finding) : `, ${count} times${lines && `: lines ${lines}`}`;
  return [
    `  ${severity}: ${escapeText(message)} [${code}${escapeText(place)}]`,
    `      ${escapeText(withCommand(code, hint))}`,
    `      ${escapeText(rule)}`,
  ];
}

function placeOf({ path, line, column }: Finding): string {
  const inLine = column === null ? '' : `, column ${column}`;
  const at = line === null ? '' : `, line ${line}${inLine}`;
  return path === '' ? at : `${at}, at ${path}`;
}

/** The results on one line: `2 of 3 invalid: 4 errors, 1 warning`. */
export function summary(results: readonly Checked[], strict: boolean): string {
  const invalid = results.filter((result) => !isValid(result, strict)).length;
  const verdict =
    invalid === 0 ? `${results.length} valid` : `${invalid} of ${results.length} invalid`;
  const allFindings = results.flatMap(({ findings }) => findings);
  const counts = (['error', 'warning', 'note'] as const).flatMap((severity) => {
    const count = allFindings.filter((finding) => finding.severity === severity).length;
    if (count > 0) return countText(count, severity);
    return severity === 'note' ? [] : `no ${severity}s`;
  });
  return `${verdict}: ${counts.join(', ')}`;
}
