import { escapeJson, escapeLines, escapeText } from './output/escape.ts';
import { type Table, tabSeparated, terminalTable } from './output/table.ts';
import type { Finding } from '../validator/finding.ts';
import { InterruptedError, UsageError } from './errors.ts';
import type { GlobalOptions, Output, Runtime } from './runtime.ts';

/** Prints a table, on standard output unless told otherwise: aligned for a person, plain for a pipe. */
export async function printTable(
  runtime: Runtime,
  table: Table,
  output: Output = runtime.stdout,
): Promise<void> {
  const { isTerminal, columns } = output;
  await output.write(isTerminal ? await terminalTable(table, columns) : tabSeparated(table));
}

/** Prints one JSON value as one document. */
export async function printJson(runtime: Runtime, value: unknown): Promise<void> {
  await printJsonText(runtime, JSON.stringify(value, null, runtime.stdout.isTerminal ? 2 : 0));
}

/** Prints JSON that is already text: the service's own bytes, numbers as it wrote them. */
export async function printJsonText(runtime: Runtime, json: string): Promise<void> {
  const text = json.endsWith('\n') ? json : `${json}\n`;
  await runtime.stdout.write(runtime.stdout.isTerminal ? escapeJson(text) : text);
}

/** Prints lines of our own making that may hold untrusted parts. */
export async function printText(runtime: Runtime, text: string): Promise<void> {
  await runtime.stdout.write(escapeLines(text.endsWith('\n') ? text : `${text}\n`));
}

/** What a write would send: shown by `--dry-run`, which sends nothing. */
export interface PlannedRequest {
  readonly method: string;
  readonly url: string;
  /** The body as JSON text, byte for byte as it would go out; absent where there is none. */
  readonly body?: string;
  readonly findings?: readonly Finding[];
  /** What is worth knowing beside the request. */
  readonly facts?: Readonly<Record<string, string>>;
}

/**
 * Prints the request that a write would make, or the list where they are not exactly one. The body's
 * text is put in as it is: numbers stay exact.
 */
export async function printDryRun(
  runtime: Runtime,
  options: GlobalOptions,
  planned: PlannedRequest | readonly PlannedRequest[],
): Promise<void> {
  const list = [planned].flat();
  if (options.json) {
    const documents = list.map(dryRunJson).join(',');
    await printJsonText(runtime, list.length === 1 ? documents : `[${documents}]`);
    return;
  }
  for (const each of list) await printDryRunText(runtime, each);
  await note(runtime, options, 'dry run: nothing was sent');
}

function dryRunJson({ method, url, body = 'null', findings = [], facts }: PlannedRequest): string {
  const head = JSON.stringify({ dry_run: true, method, url }).slice(0, -1);
  const tail = JSON.stringify({ findings, ...facts }).slice(1);
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
 * there standard error is one error object, or empty.
 */
export async function note(runtime: Runtime, options: GlobalOptions, text: string): Promise<void> {
  if (!options.quiet && !options.json) await runtime.stderr.write(`${escapeText(text)}\n`);
}

/** Whether a question would be seen and could be answered. */
export function canAsk(runtime: Runtime): boolean {
  return runtime.stdin.isTerminal && runtime.stderr.isTerminal;
}

/**
 * Goes on only with a yes. `--yes` answers; without a terminal the question is an error (exit 2),
 * never a hang; declining ends with 130 and nothing done.
 */
export async function confirm(
  runtime: Runtime,
  options: GlobalOptions,
  question: string,
): Promise<void> {
  if (options.yes) return;
  if (!canAsk(runtime)) {
    throw new UsageError(`${question} Nobody can be asked here`, 'add --yes to go on');
  }
  const prompts = await runtime.prompts();
  if (!(await prompts.confirm(question))) throw new InterruptedError('declined; nothing was done');
}
