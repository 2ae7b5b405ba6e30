import type { Printed, PrintingCommand } from './json-forms/index.ts';
import { findingWithCommand, withCommand } from './output/command-hints.ts';
import { escapeJson, escapeLines, escapeText } from './output/escape.ts';
import { closeObject, jsonWithRaw, openObject } from './output/json-text.ts';
import { paintSeverity } from './output/paint.ts';
import { wrapMessage } from './output/wrap.ts';
import { type Table, tabSeparated, terminalTable } from './output/table.ts';
import {
  type ReportedFinding,
  UsageError,
  InterruptedError,
  StateError,
  InvalidError,
} from '../errors.ts';
import type { Output, Printing, Runtime, Context } from './runtime.ts';
import { type Finding, isError } from '../validator/finding.ts';
import { numberText } from './output/units.ts';
import type { LimitOptions } from './arguments/numbers.ts';

/** Prints a table, by default on standard output: aligned on a terminal, tab-separated in a pipe. */
export async function printTable(
  context: Context,
  table: Table,
  output: Output = context.stdout,
): Promise<void> {
  const { isTerminal, columns, colors } = output;
  const view = { width: columns, wide: context.options.wide, colors };
  // What is on standard error is no data.
  const shown = output === context.stdout ? chosen(context, table) : table;
  await output.write(isTerminal ? await terminalTable(shown, view) : tabSeparated(shown));
}

/** The columns that `--fields` chose, all without it. */
export function chosen({ fields }: Printing, table: Table): Table {
  return fields?.ofTable(table) ?? table;
}

/** Prints rows of a stream as tab-separated text, on a terminal too. */
export async function printRows(context: Printing, table: Table): Promise<void> {
  await context.stdout.write(tabSeparated(chosen(context, table)));
}

/** Prints one JSON value as one document; `printJson<'key list'>` takes what that command prints. */
export async function printJson<Command extends PrintingCommand>(
  runtime: Printing,
  value: Printed<Command>,
): Promise<void> {
  await printJsonText(runtime, JSON.stringify(value, null, runtime.stdout.isTerminal ? 2 : 0));
}

/** Prints JSON that is already text, such as the service's own, with its numbers unchanged. */
export async function printJsonText(runtime: Printing, whole: string): Promise<void> {
  const json = runtime.fields?.ofDocument(whole, runtime.stdout.isTerminal) ?? whole;
  const text = json.endsWith('\n') ? json : `${json}\n`;
  await writeJson(runtime.stdout, text);
}

/** Prints items of a stream, a line of JSON each. */
export async function printJsonLines(
  { stdout, fields }: Printing,
  items: readonly string[],
): Promise<void> {
  const lines = items.map((item) => `${fields?.ofItem(item) ?? item}\n`);
  await writeJson(stdout, lines.join(''));
}

/** Writes JSON or a part of it; on a terminal, control characters are escaped and it stays the same JSON. */
export function writeJson(output: Output, json: string): Promise<void> {
  return output.write(output.isTerminal ? escapeJson(json) : json);
}

/**
 * Writes a JSON array as its items come, since there may be a million: alone, or as a member of an
 * object after `head`.
 */
export function jsonArrayWriter(
  { stdout, fields }: Printing,
  member?: { readonly head: object; readonly name: string },
) {
  let before = member ? `${openObject(member.head)},"${member.name}":[` : '[';
  const write = async (json: string): Promise<void> => {
    await writeJson(stdout, before + json);
    before = '';
  };
  let separator = '';
  return {
    add: async (items: readonly string[]): Promise<void> => {
      if (items.length === 0) return;
      await write(separator + items.map((item) => fields?.ofItem(item) ?? item).join(',\n'));
      separator = ',\n';
    },
    /** Ends the array, and begins another one of the same object. */
    next: async (name: string): Promise<void> => {
      await write(`],"${name}":[`);
      separator = '';
    },
    /** Ends the array, and the object with these further fields. */
    end: (more: object = {}): Promise<void> => write(`]${member ? closeObject(more) : ''}\n`),
  };
}

/** Prints lines that may contain untrusted parts. */
export async function printText(runtime: Runtime, text: string): Promise<void> {
  await runtime.stdout.write(escapeLines(text.endsWith('\n') ? text : `${text}\n`));
}

/** Writes data unchanged; on a terminal, control characters are escaped. */
export async function writeRaw({ stdout }: Runtime, data: string | Uint8Array): Promise<void> {
  const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
  await stdout.write(stdout.isTerminal ? escapeLines(text) : data);
}

/** The request of a write, as `--dry-run` shows it. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: string;
  /** The body as JSON text, byte for byte as it would be sent; absent if there is none. */
  readonly body?: string;
  readonly findings?: readonly ReportedFinding[];
  /** Further facts about the request. */
  readonly facts?: Readonly<Record<string, string>>;
}

/**
 * Prints the request of a write, or a list if there is not exactly one. The body's text is inserted
 * unchanged: numbers stay exact.
 */
export async function printDryRun(
  context: Context,
  planned: PlannedRequest | readonly PlannedRequest[],
): Promise<void> {
  const list = [planned].flat();
  if (context.options.json) {
    const documents = list.map(dryRunJson).join(',');
    await printJsonText(context, list.length === 1 ? documents : `[${documents}]`);
    return;
  }
  for (const each of list) await printDryRunText(context, each);
  await note(context, 'dry run: nothing was sent');
}

function dryRunJson({ method, url, body = 'null', findings = [], facts }: PlannedRequest): string {
  const after = { findings: findings.map(findingWithCommand), ...facts };
  return jsonWithRaw({ dry_run: true, method, url }, { body }, after);
}

async function printDryRunText(runtime: Runtime, planned: PlannedRequest): Promise<void> {
  const { method, url, body, facts = {} } = planned;
  await printText(runtime, `${method} ${url}`);
  if (body !== undefined) await printJsonText(runtime, body);
  for (const [name, value] of Object.entries(facts))
    await printText(runtime, `${name}: ${escapeText(value)}`);
}

/**
 * Prints a note on standard error. `--quiet` suppresses it, and so does `--json`: then standard
 * error is at most one object.
 */
export async function note(context: Context, text: string): Promise<void> {
  const { options } = context;
  if (options.quiet || options.json) return;
  const { colors, columns, isTerminal } = context.stderr;
  const message = wrapMessage(escapeText(text), isTerminal ? columns : undefined);
  await context.stderr.write(`${paintSeverity(colors, message)}\n`);
}

/** Notes that a secret was saved without a keychain, and where. */
export async function noteSecretFile(
  context: Context,
  what: 'key' | 'password' | 'token',
  file: string | undefined,
): Promise<void> {
  if (file === undefined) return;
  const { OTHERS_MODE } = await import('../disk/private-file.ts');
  const { mode = 0 } = (await (await context.machine()).ownership(file)) ?? {};
  const isOpen = (mode & OTHERS_MODE) !== 0;
  const others = isOpen ? '; other users can read it, because this disk has no permissions' : '';
  await note(context, `the ${what} is saved without a keychain, in ${file}${others}`);
}

/**
 * Prints the result of a write as JSON. If standard output cannot be written, the error has the
 * result, as `done`: it must not look as if nothing was done.
 */
export async function printDone(runtime: Runtime, value: unknown, done: string): Promise<void> {
  await printJson(runtime, value);
  const { fault } = runtime.stdout;
  if (fault === undefined) return;
  throw new StateError(
    `${done}, but standard output could not be written: ${fault.message}`,
    'the change took effect: check the current state before repeating it',
  );
}

/** Whether a question would be seen and could be answered. */
export function canPrompt(runtime: Runtime): boolean {
  const { stdin, stderr } = runtime;
  return stdin.isTerminal && !stdin.isTaken && stderr.isTerminal;
}

/**
 * Continues only with a yes. A flag, usually `--yes`, answers it; without a terminal the question is
 * an error (exit 2), never a hang; declining ends with 130 and nothing done.
 */
export async function confirm(
  context: Context,
  question: string,
  { flag, isGiven }: { readonly flag: string; readonly isGiven: boolean | undefined } = {
    flag: '--yes',
    isGiven: context.options.yes,
  },
): Promise<void> {
  if (isGiven) return;
  if (!canPrompt(context)) {
    const why = context.stdin.isTaken ? 'was already read' : 'is not a terminal';
    throw new UsageError(
      `${question} Cannot prompt: standard input ${why}`,
      `pass ${flag} to confirm`,
    );
  }
  const prompts = await context.prompts();
  if (!(await prompts.confirm(question))) throw new InterruptedError('declined; nothing was done');
}

/** Throws `InvalidError` with all findings if one is an error: the service would certainly refuse. */
export function refuseErrors(findings: readonly Finding[], message: string): void {
  if (findings.some(isError)) throw new InvalidError(message, { findings });
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

/** A longer list would scroll its beginning off the screen. */
const SHOWN_ON_TERMINAL = 30;

/**
 * The number of entries that a list shows: `--limit`, else 30 on a terminal; a pipe and `--json`
 * get all.
 */
export function shownLimit({ options, stdout }: Context<LimitOptions>): number {
  const isCut = stdout.isTerminal && !options.json;
  return options.limit ?? (isCut ? SHOWN_ON_TERMINAL : Infinity);
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

/** Notes how many entries of a list a terminal does not show, and how to see them. */
export async function noteMore(context: Context<LimitOptions>, total: number): Promise<void> {
  const more = context.options.limit === undefined ? total - shownLimit(context) : 0;
  if (more > 0) await note(context, `and ${numberText(more)} more: --limit ${total}`);
}

/** Waits; throws `InterruptedError` at an interrupt. */
export async function pause(runtime: Runtime, ms: number): Promise<void> {
  try {
    await runtime.sleep(ms, runtime.interrupt);
  } catch (error) {
    throw new InterruptedError('interrupted', undefined, { cause: error });
  }
}
