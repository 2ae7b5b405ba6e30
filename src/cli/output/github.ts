import type { Finding } from '../../validator/finding.ts';
import { withCommand } from './command-hints.ts';
import { escapeText } from './escape.ts';
import { type Checked, fileOf } from './validate.ts';

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/**
 * GitHub workflow commands, a line for each finding, which GitHub shows as annotations. If warnings
 * fail, they are errors there too.
 */
export function githubLines(
  results: readonly Checked[],
  { strict, isOfFiles }: { readonly strict: boolean; readonly isOfFiles: boolean },
): string {
  const lines = results.flatMap(({ source, findings, files }) =>
    findings.map((finding) => {
      const file = fileOf(source, files?.get(finding));
      return githubLine(finding, isOfFiles && file !== '-' ? file : undefined, strict);
    }),
  );
  return lines.map((line) => `${line}\n`).join('');
}

function githubLine(finding: Finding, file: string | undefined, strict: boolean): string {
  const { severity, code, line, column, path, message, hint } = finding;
  const command = COMMANDS[strict && severity === 'warning' ? 'error' : severity];
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(file === undefined || line === null ? [] : [`line=${line}`]),
    ...(file === undefined || line === null || column === null ? [] : [`col=${column}`]),
    `title=${property(code)}`,
  ];
  const at = path === '' ? '' : ` (at ${path})`;
  return `::${command} ${properties.join(',')}::${data(`${message}${at}; ${withCommand(code, hint)}`)}`;
}

/** A message, which GitHub reads to the end of the line. */
function data(text: string): string {
  return escapeText(encoded(text));
}

/** The value of a property, which a comma or colon would end. */
function property(text: string): string {
  return escapeText(encoded(text).replace(/[:,]/g, percent));
}

function encoded(text: string): string {
  return text.replace(/[%\r\n]/g, percent);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
