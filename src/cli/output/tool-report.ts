import type { Covered, ReportDocument } from './emulator-forms.ts';
import type { Answers } from '../../emulator/index.ts';
import { CODES } from '../../contract/index.ts';
import type { Finding } from '../../validator/finding.ts';
import type { Colors } from '../colors.ts';
import { paint } from './paint.ts';
import { escapeText } from '../../contract/escape.ts';
import { groupBy } from './group-findings.ts';
import type { JunitCase } from './ci-formats.ts';
import type { Cell, Table } from './table.ts';
import { countText } from './units.ts';
import { wrapLines } from './wrap.ts';

type ReportedFinding = Answers['GET report']['findings'][number];

/** The number of findings of a severity. */
export function countOf(
  report: Pick<ReportDocument, 'findings' | 'differences'>,
  severity: ReportedFinding['severity'],
): number {
  return foundIn(report).filter((each) => each.severity === severity).length;
}

/** The findings about the tool, and those about a service that was observed. */
function foundIn({
  findings,
  differences = [],
}: Pick<ReportDocument, 'findings' | 'differences'>): readonly ReportedFinding[] {
  return [...findings, ...differences];
}

/** The situations that a tool of the kind that called can meet. */
function possibleIn({ coverage }: ReportDocument): readonly Covered[] {
  return coverage.filter(({ possible }) => possible);
}

/** On one line: `2 errors, 1 warning in 40 requests; 12 of 84 situations met`. */
export function reportSummary(report: ReportDocument): string {
  const { requests, vary } = report;
  const [errors, warnings] = [countOf(report, 'error'), countOf(report, 'warning')];
  const situations = possibleIn(report);
  const met = situations.filter(({ seen }) => seen).length;
  const counts =
    errors + warnings === 0
      ? 'no findings'
      : `${countText(errors, 'error')}, ${countText(warnings, 'warning')}`;
  const under = vary === null ? '' : `, with --vary ${vary.seed}`;
  const found = `${counts} in ${countText(requests, 'request')}`;
  const { differences } = report;
  if (differences === undefined) {
    return `${found}; ${met} of ${situations.length} situations met${under}`;
  }
  const ofService =
    differences.length === 0 ? 'no difference' : countText(differences.length, 'difference');
  return `${found}; ${ofService} of the service from the contract`;
}

/** The report for a terminal: the findings, `limit` situations that were not met, and the verdict. */
export function reportText(
  report: ReportDocument,
  { limit, width, colors }: { limit: number; width: number; colors: Colors },
): string {
  const { chaos, not_judged: notJudged = [] } = report;
  // By the hint too: refusals of several codes have one each.
  const groups = groupBy(foundIn(report), ({ code, hint }) => `${code} ${hint}`);
  const parts = [
    wrapLines(
      [...groups.values()].flatMap((same) => findingLines(same, colors)),
      width,
    ),
    chaos === null ? [] : wrapLines(chaosLines(chaos), width),
    neverMetLines(report, limit, width),
    wrapLines(
      notJudged.map((code) => `not judged: ${code}`),
      width,
    ),
    wrapLines([reportSummary(report)], width),
  ];
  const shown = parts.filter((lines) => lines.length > 0);
  return shown.map((lines) => lines.join('\n')).join('\n\n');
}

/** How many findings of a code are shown; `--json` has all of them. */
const SHOWN = 10;

/** The common hint and rule are shown once. */
function findingLines(same: readonly ReportedFinding[], colors: Colors): string[] {
  const [{ hint, rule }] = same as [ReportedFinding];
  const more = same.length - SHOWN;
  return [
    ...same.slice(0, SHOWN).flatMap((finding) => {
      const { severity, message, code } = finding;
      const label = paint(colors, severity === 'error' ? 'bad' : 'doubt', severity);
      return [`${label}: ${escapeText(message)} [${code}]`, `    ${requestsText(finding)}`];
    }),
    ...(more > 0 ? [`    and ${more} more: lectern emulator report --json`] : []),
    `    ${escapeText(hint)}`,
    `    ${escapeText(rule)}`,
  ];
}

function requestsText({ requests }: ReportedFinding): string {
  return `request${requests.length === 1 ? '' : 's'} ${requests.join(', ')}`;
}

type Chaos = NonNullable<ReportDocument['chaos']>;

function chaosLines({ seed, share, troubles, lost, doubled }: Chaos): string[] {
  const counts = troubles.map(({ trouble, count }) => `${count} ${trouble}`).join(', ');
  const outcomes = (what: string, list: Chaos['lost']): string[] => [
    `  ${what}: ${list.length === 0 ? 'nothing' : list.length}`,
    ...list.map(({ requests, message }) => {
      return `      ${escapeText(message)} (${requests.join(', ')})`;
    }),
  ];
  return [
    `chaos ${escapeText(seed)}, share ${share}: ${counts || 'none yet'}`,
    ...outcomes('lost', lost),
    ...outcomes('doubled', doubled),
  ];
}

function neverMetLines(report: ReportDocument, limit: number, width: number): string[] {
  const situations = possibleIn(report);
  const missing = situations.filter(({ seen }) => !seen);
  if (missing.length === 0) return [];
  const more = missing.length - limit;
  return [
    `never met: ${missing.length} of ${situations.length}`,
    ...missing.slice(0, limit).flatMap((each) => missingLines(each, width)),
    ...(more > 0 ? [`  and ${more} more: --limit ${missing.length}`] : []),
  ];
}

/** A command stays on one line: when the terminal wraps it, it can still be copied. */
function missingLines({ situation, how }: Covered, width: number): string[] {
  return [...wrapLines([`  ${situation}`], width), `      ${escapeText(how)}`];
}

/** A line of the report; of a situation, `code` has its words and `hint` the command. */
export const REPORT_LINES = { kind: {}, code: {}, requests: {}, message: {}, hint: {} };

/**
 * One line each, the findings first: `error`, code, requests, message, hint; `never met`, situation,
 * command. Of the situations that were not met, the first `limit`.
 */
export function reportTable(report: ReportDocument, limit?: number): Table {
  const { chaos, not_judged: notJudged = [] } = report;
  const situations = possibleIn(report);
  const missing = situations.filter(({ seen }) => !seen).slice(0, limit);
  const harm = (kind: string, list: Chaos['lost'] = []): Cell[][] =>
    list.map(({ requests, message }) => [kind, 'chaos', requests.join(','), message, null]);
  return {
    columns: Object.keys(REPORT_LINES).map((name) => ({ name })),
    rows: [
      ...foundIn(report).map(({ severity, code, requests, message, hint }) => [
        severity,
        code,
        requests.join(','),
        message,
        hint,
      ]),
      ...harm('lost', chaos?.lost),
      ...harm('doubled', chaos?.doubled),
      ...notJudged.map((code) => ['not judged', code, null, null, null]),
      ...situations
        .filter((each) => each.seen || missing.includes(each))
        .map(({ situation, seen, how }) => [
          seen ? 'met' : 'never met',
          situation,
          null,
          null,
          how,
        ]),
    ],
  };
}

/** The findings in the form of a payload's; they are about requests, not files. */
export function reportedFindings(report: ReportDocument): Finding[] {
  const found: Finding[] = [];
  for (const each of foundIn(report)) {
    found.push({ ...each, path: requestsText(each), line: null, column: null });
  }
  return found;
}

/** A test case for each code that a report can have: it passes if the code was not found. */
export function reportCases(report: ReportDocument): JunitCase[] {
  const findings = reportedFindings(report);
  const areas = report.differences === undefined ? ['request.'] : ['request.', 'service.'];
  const codes = Object.keys(CODES).filter((code) => areas.some((area) => code.startsWith(area)));
  return codes.map((code) => ({
    name: code,
    findings: findings.filter((each) => each.code === code),
    placeOf: ({ path }) => path,
  }));
}
