import {
  type BatchEvents,
  type FailureKind,
  type ItemResult,
  stopsBatch,
} from '../../transfer/batch.ts';
import type { FileItem } from '../../contract/index.ts';
import { type FileSet, refuseBadKey } from '../../transfer/file-set.ts';
import { changedError, isSameFile } from '../../transfer/local-file.ts';
import type { Skipped } from '../../transfer/scan.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { rowAndRest } from '../arguments/rows.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { type FileResult, resultSummary, summaryText } from '../output/files.ts';
import { createDisplay } from '../output/files-progress.ts';
import type { Result } from '../output/result.ts';
import { knownReport } from '../error-report.ts';
import type { Context, Runtime } from '../runtime.ts';
import type { RowTarget } from '../session/resolve-call.ts';
import { confirm } from '../ask.ts';

export async function fileSetOf(
  runtime: Runtime,
  { client, url, kind, argument: label }: RowTarget,
): Promise<FileSet> {
  const disk = await runtime.disk();
  return { client, url, disk, clock: runtime, signal: runtime.interrupt, kind, label };
}

/** The row and the keys in the arguments, each key once; no keys with `--all`. */
export function rowAndKeys(
  options: { readonly url?: string; readonly all?: boolean },
  args: readonly (string | undefined)[],
): { readonly row: string | undefined; readonly keys: readonly string[] } {
  const [row, ...named] = rowAndRest(options, args);
  const keys = [...new Set(named.filter((key) => key !== undefined))];
  const { all } = options;
  if (all && keys.length > 0) throw new UsageError('keys and --all cannot be used together');
  if (!all && keys.length === 0) throw new UsageError('no files given', 'pass file keys, or --all');
  keys.forEach(refuseBadKey);
  return { row, keys };
}

/**
 * Asks, and returns a check that refuses a key whose file is no longer the one that was shown: the
 * answer was about that one only. With `--yes` nothing waits for an answer, and the check reads
 * nothing.
 */
export async function confirmListed(
  context: Context,
  { client, url }: RowTarget,
  shown: ReadonlyMap<string, FileItem>,
  question: string | undefined,
): Promise<(key: string) => void> {
  if (question !== undefined) await confirm(context, question);
  if (context.options.yes) return () => {};
  const { items } = await client.listFiles(url);
  const now = new Map(items.map((item) => [item.key, item]));
  return (key) => {
    const item = now.get(key);
    if (item !== undefined && !isSameFile(item, shown.get(key))) throw changedError(key);
  };
}

/** The files that an engine works on, and how each is reported. */
export interface Job<Item, Value> {
  readonly items: readonly Item[];
  readonly key: (item: Item) => string;
  /** Bytes; null if unknown. `value` is the result of the work. */
  readonly size: (item: Item, value?: Value) => number | null;
  /** No bytes are transferred, so progress counts files only. */
  readonly isStill?: boolean;
  readonly path?: (item: Item) => string;
  /** The outcome in the past tense: `uploaded`. */
  readonly done: (item: Item, value: Value) => FileResult['outcome'];
  /** Standard output has the bytes of a file, so nothing else is printed there. */
  readonly isSilent?: boolean;
  /** Items that were left out, reported with the results. */
  readonly skipped?: readonly Skipped[];
  readonly run: (events: BatchEvents<Item, Value>) => Promise<readonly ItemResult<Item, Value>[]>;
  /** Called with the results before they are printed; returns further items that were left out. */
  readonly after?: (results: readonly ItemResult<Item, Value>[]) => Promise<readonly Skipped[]>;
}

/**
 * Runs a job and reports each file: live lines on a terminal, a line for each finished file in a
 * pipe, one document with `--json`.
 */
export async function runJob<Item, Value>(
  context: Context,
  job: Job<Item, Value>,
): Promise<Result> {
  const { items } = job;
  const display = await createDisplay(context, {
    files: items.length,
    size: job.isStill ? 0 : items.reduce((sum, item) => sum + (job.size(item) ?? 0), 0),
    isSilent: job.isSilent === true,
  });
  let ended: readonly ItemResult<Item, Value>[];
  try {
    ended = await job.run({
      onProgress: (item, bytes, size) => display.onProgress(job.key(item), bytes, size),
      onResult: (result) => display.onResult(resultOf(job, result), isReported(result)),
    });
  } finally {
    await display.finish();
  }
  const left = await job.after?.(ended);
  const skipped = left ? [...(job.skipped ?? []), ...left] : job.skipped;
  return batchResult(
    context,
    ended,
    ended.map((each) => resultOf(job, each)),
    skipped,
  );
}

/** There is nothing to do, in the form of a job's results. */
export function emptyResult(text: string, skipped?: readonly Skipped[]): Result {
  const exit = missedError(text, skipped);
  const notes = exit === undefined ? [text] : [];
  return { json: resultJson([], skipped), done: text, notes, exit };
}

function resultJson(results: readonly FileResult[], skipped?: readonly Skipped[]) {
  return {
    files: results,
    ...(skipped && { skipped: skipped.map(({ name, reason }) => ({ name, reason })) }),
    summary: resultSummary(results),
  };
}

/** The error if something that should have been synced was not, although the rest succeeded. */
function missedError(summary: string, skipped: readonly Skipped[] = []): ExitError | undefined {
  const missed = skipped.filter(({ isMissed }) => isMissed);
  const [first] = missed;
  if (first === undefined) return undefined;
  const others = missed.length > 1 ? ` and ${missed.length - 1} more` : '';
  const what = `${JSON.stringify(first.name)}${others} not synced: ${first.reason}`;
  return new ExitError(EXIT.failed, 'batch.failed', `${summary}; ${what}`);
}

function resultOf<Item, Value>(job: Job<Item, Value>, result: ItemResult<Item, Value>): FileResult {
  const { item } = result;
  return {
    ...(job.path === undefined ? {} : { path: job.path(item) }),
    key: job.key(item),
    size: result.status === 'done' ? job.size(item, result.value) : job.size(item),
    outcome: result.status === 'done' ? job.done(item, result.value) : result.status,
    error: result.status === 'done' ? null : knownReport(result.error),
  };
}

function batchResult(
  { interrupt }: Context,
  ended: readonly ItemResult<unknown, unknown>[],
  results: readonly FileResult[],
  skipped?: readonly Skipped[],
): Result {
  const summary = summaryText(results);
  const end = batchEnd(interrupt, ended, summary);
  if (ended.length === 1 && end.exit !== undefined && !skipped?.length) return { exit: end.exit };
  const json = resultJson(results, skipped);
  const missed = missedError(summary, skipped);
  return end.exit === undefined && missed
    ? { json, done: summary, exit: missed }
    : { json, ...end };
}

/** Whether an error is printed with its item; one that stops the batch is printed at its end. */
export function isReported<Item, Value>(
  result: ItemResult<Item, Value>,
): result is Extract<ItemResult<Item, Value>, { readonly error: unknown }> {
  return (result.status === 'failed' || result.status === 'in_doubt') && !stopsBatch(result);
}

/**
 * What a batch ends with: its error, and its summary, which is a note if the error does not say it. The
 * error is that of the only item, or of the first that stopped the batch, or else about all.
 */
export function batchEnd(
  interrupt: AbortSignal,
  ended: readonly ItemResult<unknown, unknown>[],
  summary: string,
): Pick<Result, 'done' | 'notes' | 'exit'> {
  const exit = batchError(interrupt, ended, summary);
  const isOwn = ended.some((each) => each.status !== 'done' && each.error === exit);
  return { done: summary, notes: exit === undefined || isOwn ? [summary] : [], exit };
}

/** Undefined if all items are done. */
function batchError(
  interrupt: AbortSignal,
  ended: readonly ItemResult<unknown, unknown>[],
  summary: string,
): unknown {
  const has = (status: FailureKind): boolean => ended.some((each) => each.status === status);
  const isInterrupted = interrupt.aborted && ended.some(({ status }) => status !== 'done');
  const text = isInterrupted ? `interrupted; ${summary}` : summary;
  if (isInterrupted && !has('in_doubt')) return new InterruptedError(text);
  const own = ended.length === 1 ? ended[0] : isInterrupted ? undefined : ended.find(stopsBatch);
  if (own && own.status !== 'done') return own.error;
  if (has('failed') && !isInterrupted) return new ExitError(EXIT.failed, 'batch.failed', text);
  return has('in_doubt') ? new ExitError(EXIT.inDoubt, 'batch.in_doubt', text) : undefined;
}
