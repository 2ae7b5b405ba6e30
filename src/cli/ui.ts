import type { Printed, PrintingCommand } from './json-forms/index.ts';
import { findingWithCommand } from './output/command-hints.ts';
import { escapeJson, escapeLines, escapeText } from './output/escape.ts';
import { paintSeverity } from './output/paint.ts';
import { wrapMessage } from './output/wrap.ts';
import { type Table, tabSeparated, terminalTable } from './output/table.ts';
import { type ReportedFinding, UsageError } from '../errors.ts';
import { InterruptedError, StateError } from '../errors.ts';
import type { Output, Runtime, Context } from './runtime.ts';

/** Prints a table, on standard output unless told otherwise: aligned for a person, plain for a pipe. */
export async function printTable(
  context: Context,
  table: Table,
  output: Output = context.stdout,
): Promise<void> {
  const { isTerminal, columns, colors } = output;
  const view = { width: columns, wide: context.options.wide, colors };
  await output.write(isTerminal ? await terminalTable(table, view) : tabSeparated(table));
}

/** Prints one JSON value as one document; `printJson<'key list'>` takes what that command prints. */
export async function printJson<Command extends PrintingCommand>(
  runtime: Runtime,
  value: Printed<Command>,
): Promise<void> {
  await printJsonText(runtime, JSON.stringify(value, null, runtime.stdout.isTerminal ? 2 : 0));
}

/** Prints JSON that is already text, such as the service's own, with its numbers unchanged. */
export async function printJsonText(runtime: Runtime, json: string): Promise<void> {
  const text = json.endsWith('\n') ? json : `${json}\n`;
  await writeJson(runtime.stdout, text);
}

/** Writes JSON or a part of it; on a terminal, control characters are escaped and it stays the same JSON. */
export function writeJson(output: Output, json: string): Promise<void> {
  return output.write(output.isTerminal ? escapeJson(json) : json);
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

/** What a write would send: shown by `--dry-run`, which sends nothing. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: string;
  /** The body as JSON text, byte for byte as it would go out; absent where there is none. */
  readonly body?: string;
  readonly findings?: readonly ReportedFinding[];
  /** Further facts about the request. */
  readonly facts?: Readonly<Record<string, string>>;
}

/**
 * Prints the request that a write would make, or the list where they are not exactly one. The body's
 * text is put in as it is: numbers stay exact.
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
  const head = JSON.stringify({ dry_run: true, method, url }).slice(0, -1);
  const tail = JSON.stringify({ findings: findings.map(findingWithCommand), ...facts }).slice(1);
  return `${head},"body":${body},${tail}`;
}

async function printDryRunText(runtime: Runtime, planned: PlannedRequest): Promise<void> {
  const { method, url, body, facts = {} } = planned;
  await printText(runtime, `${method} ${url}`);
  if (body !== undefined) await printJsonText(runtime, body);
  for (const [name, value] of Object.entries(facts))
    await printText(runtime, `${name}: ${escapeText(value)}`);
}

/**
 * Says something beside the data, on standard error. `--quiet` silences it, and so does `--json`:
 * there standard error is one object at most.
 */
export async function note(context: Context, text: string): Promise<void> {
  const { options } = context;
  if (options.quiet || options.json) return;
  const { colors, columns, isTerminal } = context.stderr;
  const message = wrapMessage(escapeText(text), isTerminal ? columns : undefined);
  await context.stderr.write(`${paintSeverity(colors, message)}\n`);
}

/** Says that a secret was saved without a keychain, and where. */
export async function noteSecretFile(
  context: Context,
  what: 'key' | 'password' | 'token',
  file: string | undefined,
): Promise<void> {
  if (file !== undefined)
    await note(context, `the ${what} is saved without a keychain, in ${file}`);
}

/**
 * Prints the JSON that tells what took effect. Where standard output is full, the error tells it, in
 * the words of `done`: what cannot be read must not be taken for not done.
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
 * Goes on only with a yes. `--yes` answers; without a terminal the question is an error (exit 2),
 * never a hang; declining ends with 130 and nothing done.
 */
export async function confirm(context: Context, question: string): Promise<void> {
  if (context.options.yes) return;
  if (!canPrompt(context)) {
    const why = context.stdin.isTaken ? 'was already read' : 'is not a terminal';
    throw new UsageError(
      `${question} Cannot prompt: standard input ${why}`,
      'pass --yes to confirm',
    );
  }
  const prompts = await context.prompts();
  if (!(await prompts.confirm(question))) throw new InterruptedError('declined; nothing was done');
}
