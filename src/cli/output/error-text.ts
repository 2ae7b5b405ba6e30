import type { ReportedFinding } from '../../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { escapeText } from '../../contract/escape.ts';
import type { ErrorReport } from './forms.ts';
import { type Colors, colorsWith } from '../colors.ts';
import { paint, paintSeverity } from './paint.ts';

/**
 * The report as text: the message, each finding, the hint, and where to read more. After many
 * findings, the message is repeated below them.
 */
export function errorReportText(
  report: ErrorReport,
  { colors = PLAIN, more }: { readonly colors?: Colors; readonly more?: string | undefined } = {},
): string {
  const { message, hint, findings = [] } = report;
  const tone = report.exit === EXIT.inDoubt ? 'doubt' : 'bad';
  const headline = `${paint(colors, tone, 'lectern:')} ${escapeText(message)}`;
  const [first] = findings;
  const isInMessage = findings.length === 1 && first && message.includes(first.message);
  const lines = isInMessage
    ? [escapeText(`${first.hint} [${first.code}]`)]
    : findings.map((each, index) => findingLine(each, findings[index - 1]?.hint));
  const hints = findings.length === 0 && hint !== null ? hint.split('\n').map(escapeText) : [];
  const indented = [...lines, ...hints].map((line) => paintSeverity(colors, `  ${line}`));
  const parts = findings.length > FEW_FINDINGS ? [...indented, headline] : [headline, ...indented];
  return [...parts, ...(more === undefined ? [] : [`  ${more}`]), ''].join('\n');
}

const PLAIN = colorsWith(false);

/** More findings may scroll the message off the screen. */
const FEW_FINDINGS = 5;

/** A finding on one line; a hint is not repeated if it was just printed. */
function findingLine(finding: ReportedFinding, before: string | undefined): string {
  const { line, column, path, severity, message, hint, code } = finding;
  const at = [
    ...(line === null ? [] : [`line ${line}`]),
    ...(column === null ? [] : [`column ${column}`]),
  ];
  const place = at.length === 0 ? path : `${at.join(', ')}${path && ` (${path})`}`;
  const where = place === '' ? '' : `${place}: `;
  const wayOut = hint === before ? '' : `; ${hint}`;
  return escapeText(`${severity}: ${where}${message}${wayOut} [${code}]`);
}
