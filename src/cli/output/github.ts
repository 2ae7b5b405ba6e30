import type { Finding } from '../../validator/finding.ts';
import { withCommand } from './command-hints.ts';
import { escapeText } from './escape.ts';
import { type Checked, located } from './validate.ts';

const COMMANDS = { error: 'error', warning: 'warning', note: 'notice' } as const;

/**
 * GitHub workflow commands, a line for each finding, which GitHub shows as annotations. If warnings
 * fail, they are errors there too.
 */
export function githubLines(
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
  const command = COMMANDS[strict && severity === 'warning' ? 'error' : severity];
  const place = file === undefined ? [] : [`file=${property(file)}`];
  if (file !== undefined && line !== null) place.push(`line=${line}`);
  if (file !== undefined && line !== null && column !== null) place.push(`col=${column}`);
  const properties = [...place, `title=${property(code)}`];
  const at = path === '' ? '' : ` (at ${path})`;
  return `::${command} ${properties.join(',')}::${data(`${message}${at}; ${withCommand(code, hint)}`)}\n`;
}

/** A message, which GitHub reads to the end of the line. */
function data(text: string): string {
  return escapeText(text.replace(/[%\r\n]/g, encodeURIComponent));
}

/** The value of a property, which a comma or colon would end. */
function property(text: string): string {
  return escapeText(text.replace(/[%\r\n:,]/g, encodeURIComponent));
}
