import { EXIT } from '../exit-codes.ts';
import { ExitError } from '../errors.ts';
import { InterruptedError } from '../../errors.ts';
import { type FileResult, resultSummary, summaryText } from '../output/files.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { note, printDone, printJson } from '../ui.ts';
import { endsAll, runBatch, type Settled } from './batch.ts';
import { createDisplay, type ToldResult } from './display.ts';
import type { Skipped } from './scan.ts';
import type { Transfer } from './upload-file.ts';

/** Many files to work on, and how each is told. */
export interface Job<Item, Value> {
  /** Each phase begins when the one before has ended. */
  readonly phases: readonly (readonly Item[])[];
  readonly concurrency: number;
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
  /** Left out where anything before it failed. */
  readonly isGuarded?: (item: Item) => boolean;
  readonly work: (item: Item, moved: Transfer['moved']) => Promise<Value>;
}

/**
 * Works on the files and tells of each: live lines on a terminal, a line for each that has ended in
 * a pipe, one document with `--json`. When all is told it throws the error of a single file, else
 * `ExitError` (4 where a 401 ended it, 9, or 10 where all that is wrong is in doubt), or
 * `InterruptedError` where an interrupt left nothing in doubt. `after` is told the results first.
 */
export async function runJob<Item, Value>(
  runtime: Runtime,
  options: GlobalOptions,
  job: Job<Item, Value>,
  after: (settled: readonly Settled<Item, Value>[]) => Promise<void> = async () => {},
): Promise<void> {
  const items = job.phases.flat();
  const display = await createDisplay(runtime, options, {
    files: items.length,
    size: job.isStill ? 0 : items.reduce((sum, item) => sum + (job.size(item) ?? 0), 0),
    isSilent: job.isSilent === true,
  });
  const settled: Settled<Item, Value>[] = [];
  const settings = {
    concurrency: job.concurrency,
    interrupt: runtime.interrupt,
    settled: (result: Settled<Item, Value>) => display.settled(resultOf(job, result)),
  };
  const work = async (item: Item): Promise<Value> => {
    if (job.isGuarded?.(item) && settled.some(({ fate }) => fate !== 'done')) {
      throw new InterruptedError('left out, since others failed');
    }
    return job.work(item, (bytes, size) => display.moved(job.key(item), bytes, size));
  };
  try {
    for (const phase of job.phases) {
      const isOver = settled.some(endsAll);
      const results = await runBatch(phase, { ...settings, isOver }, work);
      for (const each of results) settled.push(each);
    }
  } finally {
    await display.finish();
  }
  await after(settled);
  await conclude(
    runtime,
    options,
    settled,
    settled.map((each) => resultOf(job, each)),
    job.skipped,
  );
}

/** Tells, in the form that a job tells its results in, that there is nothing to do. */
export async function tellNothing(
  runtime: Runtime,
  options: GlobalOptions,
  text: string,
  skipped?: readonly Skipped[],
): Promise<void> {
  if (options.json) await printJson(runtime, resultJson([], skipped));
  refuseMissed(text, skipped);
  await note(runtime, options, text);
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

function resultOf<Item, Value>(job: Job<Item, Value>, settled: Settled<Item, Value>): ToldResult {
  const { item } = settled;
  return {
    ...(job.path === undefined ? {} : { path: job.path(item) }),
    key: job.key(item),
    size: settled.fate === 'done' ? job.size(item, settled.value) : job.size(item),
    outcome: settled.fate === 'done' ? job.done(item, settled.value) : settled.fate,
    error: settled.fate === 'done' ? null : settled.report,
  };
}

async function conclude(
  runtime: Runtime,
  options: GlobalOptions,
  settled: readonly Settled<unknown, unknown>[],
  results: readonly FileResult[],
  skipped?: readonly Skipped[],
): Promise<void> {
  const has = (fate: string): boolean => settled.some((each) => each.fate === fate);
  const isInterrupted = runtime.interrupt.aborted && settled.some(({ fate }) => fate !== 'done');
  const [only] = settled;
  const isAlone = settled.length === 1 && !skipped?.length;
  const isToldAlone = isAlone && (!isInterrupted || has('in_doubt'));
  if (isToldAlone && only && only.fate !== 'done') throw only.error;
  const summary = summaryText(results);
  if (options.json) await printDone(runtime, resultJson(results, skipped), summary);
  if (isInterrupted && has('in_doubt')) {
    throw new ExitError(EXIT.inDoubt, 'batch.in_doubt', `interrupted; ${summary}`);
  }
  if (isInterrupted) throw new InterruptedError(`interrupted; ${summary}`);
  const end = settled.find(endsAll);
  if (end && end.fate !== 'done') {
    const { exit, code, message } = end.report;
    throw new ExitError(exit, code, `${message}; ${summary}`);
  }
  if (has('failed')) throw new ExitError(EXIT.failed, 'batch.failed', summary);
  if (has('in_doubt')) throw new ExitError(EXIT.inDoubt, 'batch.in_doubt', summary);
  refuseMissed(summary, skipped);
  await note(runtime, options, summary);
}
