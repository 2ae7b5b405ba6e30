import { StateError, UsageError } from '../../errors.ts';
import type { Context, Fields, Output, Printing, Runtime } from '../runtime.ts';
import { escapeJson, escapeLines } from '../../contract/escape.ts';
import type { ErrorReport } from './forms.ts';
import { closeObject, openObject } from './json-text.ts';
import { hasNotes, note } from './notes.ts';
import {
  type Drawn,
  JsonList,
  RawJson,
  type Result,
  type Results,
  type Shown,
  type TablePages,
} from './result.ts';
import { exactOf, type Table, tabSeparated, terminalTable } from './table.ts';

/** Prints what a verb returned, and throws the error that it ends with. */
export async function printResults(context: Context, results: Results): Promise<void> {
  if (!(Symbol.asyncIterator in results)) return printResult(context, results);
  for await (const each of results) {
    await printResult(context, each, true);
    if (context.stdout.broken) return;
  }
}

async function printResult(context: Context, result: Result, isLine = false): Promise<void> {
  const { json, show, errors = [], notes = [], exit, done } = result;
  if (!context.options.json)
    for (const each of [show ?? []].flat()) await printShown(context, each);
  else if (json !== undefined)
    await printWhole(context, typeof json === 'function' ? await json() : json, isLine);
  if (errors.length > 0) await printErrors(context, errors);
  for (const text of notes) if (text !== undefined) await note(context, text);
  const { fault } = context.stdout;
  if (done !== undefined && fault !== undefined) {
    // It must not look as if nothing was done.
    const { what, hint } = typeof done === 'string' ? { what: done, hint: CHECK_STATE } : done;
    const message = `${what}, but standard output could not be written: ${fault.message}`;
    throw new StateError(message, hint, { cause: fault });
  }
  if (exit !== undefined) throw exit;
}

const CHECK_STATE = 'the change took effect: check the current state before repeating it';

/** Shows a part of a result at once, such as before a question; with `--json` nothing. */
export async function showNow(
  context: Context,
  { show, notes }: Pick<Result, 'show' | 'notes'>,
): Promise<void> {
  await printResult(context, { show, ...(notes && { notes }) });
}

/** Prints errors of items on standard error; in JSON the items have them. */
export async function printErrors(
  { options, stderr }: Context,
  errors: readonly ErrorReport[],
): Promise<void> {
  if (options.json) return;
  const { errorReportText } = await import('./error-text.ts');
  for (const each of errors) await stderr.write(errorReportText(each, { colors: stderr.colors }));
}

/** Prints one JSON document, on a terminal with indentation unless it is a line of many. */
async function printWhole(context: Context, json: unknown, isLine = false): Promise<void> {
  if (json instanceof JsonList) return printList(context, json);
  if (json instanceof RawJson && json.isWhole) {
    return writeJson(context.stdout, `${json.text}\n`);
  }
  const isWide = context.stdout.isTerminal && !isLine;
  const text = json instanceof RawJson ? json.text : JSON.stringify(json, null, isWide ? 2 : 0);
  await printJsonText(context, text, isWide);
}

async function printShown(context: Context, shown: Shown): Promise<void> {
  const { stdout, options, fields } = context;
  if (typeof shown === 'string') return printText(context, shown);
  if ('columns' in shown) return printTable(context, shown);
  if ('raw' in shown) return writeRaw(context, shown.raw);
  if ('json' in shown) return printWhole(context, shown.json);
  if ('lines' in shown) return stdout.write(tabSeparated(chosen(context, shown.lines)));
  if ('pages' in shown) return printPages(context, shown);
  if (!('drawn' in shown)) {
    const form = shown[stdout.isTerminal ? 'terminal' : 'pipe'];
    const { table = form } = shown;
    for (const each of [fields ? table : (form ?? table)].flat()) {
      if (each !== undefined) await printShown(context, each);
    }
    return;
  }
  const text = await shown.drawn(stdout);
  if (!shown.isLong) return stdout.write(text);
  const { printLong } = await import('./long-text.ts');
  await printLong(context, text, options.pager !== false);
}

/** Shows a table, or what is drawn for the output, on standard error as a note. */
export async function noteShown(context: Context, shown: Table | Drawn): Promise<void> {
  if (!hasNotes(context)) return;
  const { stderr } = context;
  if ('drawn' in shown) await stderr.write(await shown.drawn(stderr));
  else if (shown.rows.length > 0) await printTable(context, shown, stderr);
}

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
  if (shown.columns.length === 0) return;
  await output.write(isTerminal ? await terminalTable(shown, view) : tabSeparated(shown));
}

/** The columns that `--fields` chose, all without it. */
export function chosen({ fields }: Printing, table: Table): Table {
  return fields?.ofTable(table) ?? table;
}

/** Prints JSON that is already text, such as the service's own, with its numbers unchanged. */
export async function printJsonText(
  runtime: Printing,
  whole: string,
  isWide = runtime.stdout.isTerminal,
): Promise<void> {
  const json = runtime.fields?.ofDocument(whole, isWide) ?? whole;
  const text = json.endsWith('\n') ? json : `${json}\n`;
  await writeJson(runtime.stdout, text);
}

/** Writes JSON or a part of it; on a terminal, control characters are escaped and it stays the same JSON. */
export function writeJson(output: Output, json: string): Promise<void> {
  return output.write(output.isTerminal ? escapeJson(json) : json);
}

/** Writes a list of JSON as its items come. */
async function printList({ stdout, fields }: Printing, list: JsonList): Promise<void> {
  const { isLines = false, member } = list.place;
  let separator = '';
  const add = async (items: readonly string[], kept?: Fields): Promise<void> => {
    if (items.length === 0) return;
    const texts = items.map((item) => kept?.ofItem(item) ?? item);
    await writeJson(stdout, isLines ? `${texts.join('\n')}\n` : separator + texts.join(',\n'));
    separator = ',\n';
  };
  if (!isLines) {
    await writeJson(stdout, member ? `${openObject(member.head)},"${member.name}":[` : '[');
  }
  for await (const page of list.pages) {
    await add(page, fields);
    if (stdout.broken) return;
  }
  if (isLines) return;
  if (member?.next) {
    await writeJson(stdout, `],"${member.next.name}":[`);
    separator = '';
    for await (const page of member.next.pages) {
      await add(page);
      if (stdout.broken) return;
    }
  }
  await writeJson(stdout, `]${member ? closeObject(member.more?.() ?? {}) : ''}\n`);
}

/**
 * Writes tables as one CSV file, the names of the columns first. A text that a spreadsheet would
 * execute is marked.
 */
export async function csvFile(stdout: Output, { columns }: Table) {
  const [{ stringify }, { escapeFormula }] = await Promise.all([
    import('csv-stringify/sync'),
    import('../../grades/csv.ts'),
  ]);
  const write = (rows: string[][]): Promise<void> => {
    const csv = stringify(rows);
    return stdout.write(stdout.isTerminal ? escapeLines(csv) : csv);
  };
  const cellText = (cell: string | number | null | undefined): string =>
    typeof cell === 'string' ? escapeFormula(cell) : String(cell ?? '');
  await write([columns.map(({ name }) => name)]);
  return {
    add: ({ rows }: Table): Promise<void> =>
      write(rows.map((row) => row.map((cell) => cellText(exactOf(cell))))),
    comment: (text: string): Promise<void> => stdout.write(`# ${text}\n`),
  };
}

async function printPages(context: Context, { pages, csv, comment }: TablePages): Promise<void> {
  const { stdout } = context;
  const file = csv && (await csvFile(stdout, chosen(context, csv)));
  for await (const table of pages) {
    await (file ? file.add(chosen(context, table)) : printTable(context, table));
    if (stdout.broken) return;
  }
  if (comment !== undefined) await file?.comment(comment);
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

/** The same of bytes as they come. */
export async function writeRawChunks(
  runtime: Runtime,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { stdout } = runtime;
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    if (stdout.broken) return;
    await writeRaw(runtime, stdout.isTerminal ? decoder.decode(chunk, { stream: true }) : chunk);
  }
}

/** Whether JSON is printed, for work that only JSON or only text needs. */
export function wantsJson({ options }: Pick<Context, 'options'>): boolean {
  return options.json === true;
}

/** Whether standard output gets data as it is: it is no terminal, and JSON is not asked for. */
export function isPlainPipe({ stdout, options }: Context): boolean {
  return !stdout.isTerminal && !options.json;
}

/** Throws `UsageError` if what a flag asks for and JSON would both be on standard output. */
export function refuseJson({ options }: Context, flag: string): void {
  if (!options.json) return;
  throw new UsageError(`${flag} and --json cannot be used together`, 'use one of them');
}
