import type { BatchEvents, FailureKind, ItemResult } from '../../transfer/batch.ts';
import { stopsBatch } from '../../transfer/batch.ts';
import type { FileSet } from '../../transfer/file-set.ts';
import type { Skipped } from '../../transfer/scan.ts';
import { InterruptedError } from '../../errors.ts';
import { ExitError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { type FileResult, resultSummary, summaryText } from '../output/files.ts';
import { type Report, reportOf } from '../report.ts';
import type { Runtime, Context } from '../runtime.ts';
import type { RowTarget } from '../session/row.ts';
import { note, printDone, printJson } from '../ui.ts';
import { createDisplay, type ShownResult } from './display.ts';

/** The files of a row, for the engines. */
export async function fileSetOf(
  runtime: Runtime,
  { client, url, kind }: RowTarget,
): Promise<FileSet> {
  const disk = await runtime.disk();
  return { client, url, disk, clock: runtime, signal: runtime.interrupt, kind };
}

/** Many files that an engine works on, and how each is told. */
export interface Job<Item, Value> {
  readonly items: readonly Item[];
  readonly key: (item: Item) => string;
  /** Bytes; null where they are not known. `value` is what the work came to. */
  readonly size: (item: Item, value?: Value) => number | null;
  /** No bytes move, whatever the sizes: the files alone are counted on the way. */
  readonly isStill?: boolean;
  readonly path?: (item: Item) => string;
  /** What was done, in the past tense: `uploaded`. */
  readonly done: (item: Item, value: Value) => string;
  /** Standard output is taken by a file's bytes: nothing is printed there. */
  readonly isSilent?: boolean;
  /** What is told beside the files, since it was left out. */
  readonly skipped?: readonly Skipped[];
  /** Calls the engine, which tells these events. */
  readonly run: (events: BatchEvents<Item, Value>) => Promise<readonly ItemResult<Item, Value>[]>;
  /** Told the results before they are judged. */
  readonly after?: (settled: readonly ItemResult<Item, Value>[]) => Promise<void>;
}

/**
 * Runs a job and tells of each file: live lines on a terminal, a line for each that has ended in a
 * pipe, one document with `--json`. When all is told it throws the error of a single file, else
 * `ExitError` (4 where a 401 ended it, 9, or 10 where all that is wrong is in doubt), or
 * `InterruptedError` where an interrupt left nothing in doubt.
 */
export async function runJob<Item, Value>(context: Context, job: Job<Item, Value>): Promise<void> {
  const { items } = job;
  const display = await createDisplay(context, {
    files: items.length,
    size: job.isStill ? 0 : items.reduce((sum, item) => sum + (job.size(item) ?? 0), 0),
    isSilent: job.isSilent === true,
  });
  let settled: readonly ItemResult<Item, Value>[];
  try {
    settled = await job.run({
      onProgress: (item, bytes, size) => display.moved(job.key(item), bytes, size),
      onResult: (result) => display.settled(resultOf(job, result)),
    });
  } finally {
    await display.finish();
  }
  await job.after?.(settled);
  const results = settled.map((each) => resultOf(job, each));
  await conclude(context, settled, results, job.skipped);
}

/** Tells, in the form that a job tells its results in, that there is nothing to do. */
export async function reportEmpty(
  context: Context,
  text: string,
  skipped?: readonly Skipped[],
): Promise<void> {
  if (context.options.json) await printJson(context, resultJson([], skipped));
  refuseMissed(text, skipped);
  await note(context, text);
}

function resultJson(results: readonly FileResult[], skipped?: readonly Skipped[]): object {
  return {
    files: results,
    ...(skipped && { skipped: skipped.map(({ name, reason }) => ({ name, reason })) }),
    summary: resultSummary(results),
  };
}

/** What should have been synced and could not be makes the whole a failure, though the rest went well. */
function refuseMissed(summary: string, skipped: readonly Skipped[] = []): void {
  const missed = skipped.filter(({ isMissed }) => isMissed);
  const [first] = missed;
  if (first === undefined) return;
  const others = missed.length > 1 ? ` and ${missed.length - 1} more` : '';
  const what = `${JSON.stringify(first.name)}${others} not synced: ${first.reason}`;
  throw new ExitError(EXIT.failed, 'batch.failed', `${summary}; ${what}`);
}

function resultOf<Item, Value>(
  job: Job<Item, Value>,
  settled: ItemResult<Item, Value>,
): ShownResult {
  const { item } = settled;
  return {
    ...(job.path === undefined ? {} : { path: job.path(item) }),
    key: job.key(item),
    size: settled.status === 'done' ? job.size(item, settled.value) : job.size(item),
    outcome: settled.status === 'done' ? job.done(item, settled.value) : settled.status,
    error: settled.status === 'done' ? null : reportOrBug(settled.error),
  };
}

function reportOrBug(error: unknown): Report {
  const report = reportOf(error);
  if (report === undefined) throw error;
  return report;
}

async function conclude(
  context: Context,
  settled: readonly ItemResult<unknown, unknown>[],
  results: readonly FileResult[],
  skipped?: readonly Skipped[],
): Promise<void> {
  const has = (status: FailureKind): boolean => settled.some((each) => each.status === status);
  const isInterrupted =
    context.interrupt.aborted && settled.some(({ status }) => status !== 'done');
  const [only] = settled;
  const isAlone = settled.length === 1 && !skipped?.length;
  const isToldAlone = isAlone && (!isInterrupted || has('in_doubt'));
  if (isToldAlone && only && only.status !== 'done') throw only.error;
  const summary = summaryText(results);
  if (context.options.json) await printDone(context, resultJson(results, skipped), summary);
  if (isInterrupted && has('in_doubt')) {
    throw new ExitError(EXIT.inDoubt, 'batch.in_doubt', `interrupted; ${summary}`);
  }
  if (isInterrupted) throw new InterruptedError(`interrupted; ${summary}`);
  const end = settled.find(stopsBatch);
  if (end && end.status !== 'done') {
    const { exit, code, message } = reportOrBug(end.error);
    throw new ExitError(exit, code, `${message}; ${summary}`);
  }
  if (has('failed')) throw new ExitError(EXIT.failed, 'batch.failed', summary);
  if (has('in_doubt')) throw new ExitError(EXIT.inDoubt, 'batch.in_doubt', summary);
  refuseMissed(summary, skipped);
  await note(context, summary);
}
