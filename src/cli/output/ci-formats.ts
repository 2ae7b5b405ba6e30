import type { Finding } from '../../validator/finding.ts';
import { withCommand } from './command-hints.ts';
import { countText } from './units.ts';
import { escapeText } from '../../contract/escape.ts';
import { type Checked, fileOf, isFailure, located } from './validate.ts';

/** Findings to be printed in a format, and what that needs to know of them. */
interface Found {
  readonly results: readonly Checked[];
  /** Of a payload, or of the emulator's report. */
  readonly kind: string;
  readonly strict: boolean;
  readonly isOfFiles: boolean;
  readonly json: unknown;
  /** The command, and the cases of its JUnit report. */
  readonly suite: string;
  readonly cases: () => readonly JunitCase[];
}

/** The findings as JSON, or as a text for other programs. */
export async function inFormat(
  format: 'json' | 'sarif' | 'github' | 'junit',
  { results, kind, strict, isOfFiles, json, suite, cases }: Found,
): Promise<{ readonly json: unknown } | { readonly raw: string }> {
  if (format === 'json') return { json };
  if (format === 'github') return { raw: githubLines(results, { strict, isOfFiles }) };
  if (format === 'junit') {
    return { raw: junitXml(suite, cases(), (finding) => isFailure(finding, strict)) };
  }
  const { sarifLog } = await import('./sarif.ts');
  return { json: sarifLog(results, kind, __VERSION__) };
}

/** A test case of a JUnit report: an input, or a rule. */
export interface JunitCase {
  readonly name: string;
  readonly file?: string | undefined;
  /** All findings, whether they fail the case or not. */
  readonly findings: readonly Finding[];
  readonly placeOf: (finding: Finding) => string;
}

/** Each input as a case; its place is a line of the file. */
export function junitCases(results: readonly Checked[], isOfFiles: boolean): JunitCase[] {
  return results.map(({ source, findings, files }) => ({
    name: source === '-' ? 'standard input' : source,
    file: isOfFiles && source !== '-' ? source : undefined,
    findings,
    placeOf: (finding) => {
      const { line, column, path } = finding;
      const place = [fileOf(source, files?.get(finding)), line, line === null ? null : column];
      return `${place.filter((each) => each !== null).join(':')}${path === '' ? '' : ` ${path}`}`;
    },
  }));
}

/** A report in the XML of JUnit, which CI systems other than GitHub read. */
function junitXml(
  suite: string,
  cases: readonly JunitCase[],
  fails: (finding: Finding) => boolean,
): string {
  const failures = cases.filter(({ findings }) => findings.some(fails)).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" time="0"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="lectern" ${counts}>`,
    `  <testsuite name="${attribute(suite)}" ${counts} skipped="0">`,
    ...cases.flatMap((each) => caseLines(suite, each, fails)),
    '  </testsuite>',
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function caseLines(
  suite: string,
  { name, file, findings, placeOf }: JunitCase,
  fails: (finding: Finding) => boolean,
): string[] {
  const failed = findings.filter(fails);
  const others = findings.filter((finding) => !fails(finding));
  const textOf = (each: Finding): string =>
    `${placeOf(each)}: ${each.severity}: ${each.message} [${each.code}]\n` +
    `    ${withCommand(each.code, each.hint)}\n    ${each.rule}`;
  const text = (list: readonly Finding[]): string => content(list.map(textOf).join('\n'));
  const inner = [
    ...failureLines(failed, text(failed)),
    ...(others.length === 0 ? [] : [`      <system-out>${text(others)}</system-out>`]),
  ];
  const classname = suite.replaceAll(' ', '.');
  const of = file === undefined ? '' : ` file="${attribute(file)}"`;
  const open = `    <testcase name="${attribute(name)}" classname="${attribute(classname)}"${of} time="0"`;
  return inner.length === 0 ? [`${open}/>`] : [`${open}>`, ...inner, '    </testcase>'];
}

/** At most one failure element for a case, as the schema requires. */
function failureLines(failed: readonly Finding[], text: string): string[] {
  const [first] = failed;
  if (first === undefined) return [];
  const more = failed.length - 1;
  const message = `${first.message}${more === 0 ? '' : `, and ${countText(more, 'more finding')}`}`;
  const attributes = `message="${attribute(message)}" type="${attribute(first.code)}"`;
  return [`      <failure ${attributes}>${text}</failure>`];
}

const NAMED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function content(text: string): string {
  return allowed(text)
    .replace(/[&<>]/g, (each) => NAMED[each] ?? each)
    .replaceAll('\r', '&#13;');
}

/** Line breaks in an attribute would be read as spaces. */
function attribute(text: string): string {
  return allowed(text)
    .replace(/[&<>"]/g, (each) => NAMED[each] ?? each)
    .replace(/[\t\n\r]/g, (each) => `&#${each.charCodeAt(0)};`);
}

/** Characters that XML 1.0 cannot contain, not even as references, and those that reorder text. */
function allowed(text: string): string {
  return text.replace(
    /(?![\t\n\r])[\p{Cc}\p{Cs}\p{Bidi_Control}\ufffe\uffff]/gu,
    (each) => `\\u{${(each.codePointAt(0) as number).toString(16)}}`,
  );
}

const GITHUB_COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/**
 * GitHub workflow commands, a line for each finding, which GitHub shows as annotations. If warnings
 * fail, they are errors there too.
 */
function githubLines(
  results: readonly Checked[],
  { strict, isOfFiles }: { readonly strict: boolean; readonly isOfFiles: boolean },
): string {
  const lines = located(results).map(({ file, finding }) =>
    githubLine(finding, isOfFiles && file !== '-' ? file : undefined, strict),
  );
  return lines.join('');
}

function githubLine(finding: Finding, file: string | undefined, strict: boolean): string {
  const { severity, code, line, column, path, message, hint } = finding;
  const command = GITHUB_COMMANDS[strict && severity === 'warning' ? 'error' : severity];
  const place = file === undefined ? [] : [`file=${githubProperty(file)}`];
  if (file !== undefined && line !== null) place.push(`line=${line}`);
  if (file !== undefined && line !== null && column !== null) place.push(`col=${column}`);
  const properties = [...place, `title=${githubProperty(code)}`];
  const at = path === '' ? '' : ` (at ${path})`;
  return `::${command} ${properties.join(',')}::${githubData(`${message}${at}; ${withCommand(code, hint)}`)}\n`;
}

/** A message, which GitHub reads to the end of the line. */
function githubData(text: string): string {
  return escapeText(text.replace(/[%\r\n]/g, encodeURIComponent));
}

/** The value of a property, which a comma or colon would end. */
function githubProperty(text: string): string {
  return escapeText(text.replace(/[%\r\n:,]/g, encodeURIComponent));
}
