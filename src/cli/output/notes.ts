import type { ReportedFinding } from '../../errors.ts';
import type { LimitOptions } from '../arguments/numbers.ts';
import type { Context, Progress } from '../runtime.ts';
import { findingWithCommand, withCommand } from './command-hints.ts';
import { escapeJson, escapeText } from '../../contract/escape.ts';
import { paintSeverity } from './paint.ts';
import { numberText } from './units.ts';
import { wrapMessage } from './wrap.ts';

/**
 * Prints a note on standard error. `--quiet` suppresses it, and so does `--json`: then standard
 * error is at most one object.
 */
export async function note(context: Context, text: string): Promise<void> {
  if (!hasNotes(context)) return;
  const { colors, columns, isTerminal } = context.stderr;
  const message = wrapMessage(escapeText(text), isTerminal ? columns : undefined);
  await context.stderr.write(`${paintSeverity(colors, message)}\n`);
}

/** Whether notes are printed. */
export function hasNotes({ options }: Context): boolean {
  return !options.quiet && !options.json;
}

/** Live lines on standard error, unless `--quiet` suppresses them. */
export function progressOf(context: Context): Promise<Progress> {
  return context.progress(!context.options.quiet);
}

/** That a secret was saved without a keychain, and where. */
export async function secretNotes(
  context: Context,
  what: 'key' | 'password' | 'token',
  file: string | undefined,
): Promise<string[]> {
  if (file === undefined) return [];
  const { OTHERS_MODE } = await import('../../disk/private-file.ts');
  const { mode = 0 } = (await (await context.machine()).ownership(file)) ?? {};
  const isOpen = (mode & OTHERS_MODE) !== 0;
  const others = isOpen ? '; other users can read it, because this disk has no permissions' : '';
  return [`the ${what} is saved without a keychain, in ${file}${others}`];
}

/** Prints warnings to standard error, about payloads that the service accepts or may accept. */
export async function noteWarnings(
  context: Context,
  findings: readonly ReportedFinding[],
): Promise<void> {
  for (const { code, path, message, hint } of findings.slice(0, MAX_WARNINGS)) {
    const where = path === '' ? '' : `${path}: `;
    await note(context, `warning: ${where}${message}; ${withCommand(code, hint)}`);
  }
  const more = findings.length - MAX_WARNINGS;
  if (more > 0) await note(context, `and ${more} more warnings`);
}

const MAX_WARNINGS = 10;

/** The same of what standard output has already; with `--json` as one object. */
export async function noteFindings(
  context: Context,
  findings: readonly ReportedFinding[],
): Promise<void> {
  const { options, stderr } = context;
  if (!options.json) return noteWarnings(context, findings);
  const json = JSON.stringify({ findings: findings.map(findingWithCommand) });
  if (!options.quiet) await stderr.write(`${stderr.isTerminal ? escapeJson(json) : json}\n`);
}

/** A longer list would scroll its beginning off the screen. */
const SHOWN_ON_TERMINAL = 30;

/**
 * The number of entries that a list shows: `--limit`, else 30 on a terminal; a pipe and `--json`
 * get all.
 */
export function shownLimit(context: Context<LimitOptions>): number {
  return context.options.limit ?? mostOnTerminal(context, SHOWN_ON_TERMINAL);
}

/** The number of entries that a terminal shows; a pipe and `--json` get all. */
export function mostOnTerminal({ options, stdout }: Context, most: number): number {
  return stdout.isTerminal && !options.json ? most : Infinity;
}

/** The entries that a list shows of those saved by name: the newest, in the order of all. */
export function newestSaved<Entry extends { readonly saved: string }>(
  context: Context<LimitOptions>,
  all: readonly Entry[],
): Entry[] {
  const newest = all
    .toSorted((a, b) => Date.parse(b.saved) - Date.parse(a.saved))
    .slice(0, shownLimit(context));
  return all.filter((each) => newest.includes(each));
}

/** How many entries of a list a terminal does not show, and how to see them. */
export function moreText(context: Context<LimitOptions>, total: number): string[] {
  const more = context.options.limit === undefined ? total - shownLimit(context) : 0;
  return more > 0 ? [`and ${numberText(more)} more: --limit ${total}`] : [];
}
