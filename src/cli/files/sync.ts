import { join } from 'node:path';
import { NoAnswer } from '../../client/index.ts';
import { ROW_NAMES } from '../../contract/index.ts';
import { globMatcher } from '../../disk/glob.ts';
import { InvalidError, UsageError } from '../../errors.ts';
import type { Skipped } from '../../transfer/scan.ts';
import {
  type Sync,
  type SyncResult,
  baselineAfter,
  changedDuring,
  prepareSync,
  runSync as runSteps,
} from '../../transfer/sync.ts';
import type { Baseline, Direction, SyncStep } from '../../transfer/sync-plan.ts';
import { isRow } from '../arguments/rows.ts';
import { STEPS } from '../output/files.ts';
import { tableOf } from '../output/columns.ts';
import { bytesText, countText } from '../output/units.ts';
import { knownReport } from '../error-report.ts';
import type { Context } from '../runtime.ts';
import { type RowTarget, rowTarget } from '../session/resolve-call.ts';
import { noteWarnings, note } from '../output/notes.ts';
import { noteShown } from '../output/print.ts';
import type { Printed } from '../output/all-forms.ts';
import type { Result } from '../output/result.ts';
import { confirmListed, emptyResult, fileSetOf, runJob } from './job.ts';
import type { FilesSyncOptions } from './flags.ts';
import { createHash } from 'node:crypto';
import { addressOf } from '../../ledger/address.ts';
import { MAX_JSON_BYTES } from '../sizes.ts';

export async function runSync(
  context: Context<FilesSyncOptions>,
  from: string,
  to: string,
): Promise<Result> {
  const { options } = context;
  const { direction, folder, row } = sidesOf(options, from, to);
  const { concurrency } = options;
  const target = await rowTarget(context, 'files', row, { connections: concurrency });
  const state = await syncState(context, folder, target.url);
  const sync = await prepareSync(await fileSetOf(context, target), {
    direction,
    folder,
    isWanted: filterOf(options, context.platform),
    followLinks: options.followSymlinks === true,
    withDelete: options.delete === true,
    checksum: options.checksum === true,
    concurrency,
    baseline: state.baseline,
  });
  await noteWarnings(context, sync.findings);
  const plan = planOf(sync, options);
  if (options.dryRun) return plan;
  await noteShown(context, plan.show);
  for (const text of plan.notes) await note(context, text);
  if (plan.exit) throw plan.exit;
  if (sync.copies.length + sync.deletes.length === 0) {
    await state.save(baselineAfter(sync, []));
    return emptyResult('nothing to do', sync.skipped);
  }
  return carryOut(context, target, sync, state);
}

const DONE = { upload: 'uploaded', download: 'downloaded', delete: 'deleted' } as const;

/** Asks before anything is deleted, runs the sync, and prints the results. */
async function carryOut(
  context: Context<FilesSyncOptions>,
  target: RowTarget,
  sync: Sync,
  state: SyncState,
): Promise<Result> {
  const check = await confirmDeletes(context, target, sync);
  const { concurrency } = context.options;
  return runJob<SyncStep, Baseline | undefined>(context, {
    items: sync.phases.flat(),
    key: ({ key }) => key,
    size: ({ action, size }) => (action === 'delete' ? null : size),
    path: ({ key }) => join(sync.options.folder, key),
    done: ({ action }) => DONE[action],
    skipped: sync.skipped,
    run: (events) => runSteps(sync, { concurrency, check, ...events }),
    after: (results) => finish(context, sync, state, results),
  });
}

/** Returns a check that refuses a key whose file in the row is no longer the confirmed one. */
async function confirmDeletes(
  context: Context,
  target: RowTarget,
  { options: { direction, folder }, deletes, items }: Sync,
): Promise<(key: string) => void> {
  if (deletes.length === 0) return () => {};
  const where = direction === 'up' ? `from the ${target.label} row` : `from ${folder}`;
  const question = `Delete ${countText(deletes.length, 'file')} ${where} that the source does not have?`;
  const shown = new Map(items.map((item) => [item.key, item]));
  return confirmListed(context, target, shown, question);
}

/** Saves what both sides have in common, and returns the files that changed during the sync. */
async function finish(
  context: Context<FilesSyncOptions>,
  sync: Sync,
  state: SyncState,
  results: readonly SyncResult[],
): Promise<readonly Skipped[]> {
  await state.save(baselineAfter(sync, results));
  if (context.interrupt.aborted) return [];
  const failure = 'could not check whether files changed during the sync';
  const changed = await unlessReported(context, failure, () => changedDuring(sync, results));
  const reason = 'it changed during the sync';
  return (changed ?? []).map((name) => ({ name, reason, isMissed: true }));
}

/** Prints an error as a note, since what was transferred is reported regardless. */
async function unlessReported<Value>(
  context: Context,
  failure: string,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    const report = knownReport(error);
    const why = error instanceof NoAnswer ? error.message : report.message;
    await note(context, `${failure}: ${why}`);
    return undefined;
  }
}

function sidesOf(
  options: Context<FilesSyncOptions>['options'],
  from: string,
  to: string,
): { direction: Direction; folder: string; row: string } {
  if (options.url !== undefined) {
    throw new UsageError('--url cannot be used with sync', 'pass the URL as ROW');
  }
  if (isRow(to) && !isRow(from)) return { direction: 'up', folder: from, row: to };
  if (isRow(from) && !isRow(to)) return { direction: 'down', folder: to, row: from };
  throw new UsageError(
    isRow(from) ? 'both arguments are rows; one must be a folder' : 'no row given',
    isRow(from)
      ? `for a folder named like a row, write ./${to}`
      : `use lectern files sync DIR ROW, or ROW DIR; ROW is one of ${ROW_NAMES.join(', ')}, or a URL`,
  );
}

function filterOf(
  { include, exclude }: FilesSyncOptions,
  platform: string,
): (name: string) => boolean {
  const anyOf = (flag: string, globs: readonly string[]): ((name: string) => boolean) => {
    try {
      // A name has `/` on every system; people of Windows write `\\` as well, which elsewhere quotes.
      const own = platform === 'win32' ? globs.map((each) => each.replaceAll('\\', '/')) : globs;
      const matchers = own.map(globMatcher);
      return (name) => matchers.some((isMatch) => isMatch(name));
    } catch (error) {
      throw new UsageError(
        `${flag} is not a valid glob: ${(error as Error).message}`,
        'use a pattern such as *.pdf',
      );
    }
  };
  const isIncluded = include.length === 0 ? () => true : anyOf('--include', include);
  const isExcluded = anyOf('--exclude', exclude);
  return (name) => isIncluded(name) && !isExcluded(name);
}

/** The plan: the result of a dry run, and shown before anything is done. */
function planOf(sync: Sync, options: FilesSyncOptions) {
  const { copies, deletes, skipped, phases, deletesFirst } = sync;
  const steps = phases.flat();
  const json: Printed<'files sync'> = {
    dry_run: true,
    direction: sync.options.direction,
    deletes_first: deletesFirst,
    steps,
    skipped: skipped.map(({ name, reason }) => ({ name, reason })),
    summary: { copies: copies.length, deletes: deletes.length },
  };
  return {
    json,
    show: tableOf(STEPS, steps, 0),
    notes: [
      ...skipped.map(({ name, reason }) => `not synced: ${name}: ${reason}`),
      ...(deletesFirst ? ['files are deleted first, to stay within the quota'] : []),
      ...(options.dryRun || steps.length > 0 ? [planText(sync)] : []),
    ],
    exit: tooManyDeletes(options, sync),
  };
}

function planText({ options: { direction }, copies, deletes }: Sync): string {
  const size = copies.reduce((sum, step) => sum + step.size, 0);
  const parts = [
    copies.length === 0
      ? ''
      : `${direction === 'up' ? 'upload' : 'download'} ${countText(copies.length, 'file')} (${bytesText(size)})`,
    deletes.length === 0 ? '' : `delete ${countText(deletes.length, 'file')}`,
  ].filter((part) => part !== '');
  return `plan: ${parts.length === 0 ? 'nothing to do' : parts.join(', ')}`;
}

function tooManyDeletes(
  { maxDelete }: FilesSyncOptions,
  { deletes }: Sync,
): InvalidError | undefined {
  if (maxDelete === undefined || deletes.length <= maxDelete) return undefined;
  return new InvalidError(
    `${countText(deletes.length, 'file')} would be deleted, but --max-delete is ${maxDelete}; nothing was changed`,
    { code: 'sync.max_delete', hint: 'look at the plan with --dry-run' },
  );
}

type SyncState = Awaited<ReturnType<typeof syncState>>;

/**
 * The files that a folder and a file set had in common after their last sync, in one small file for
 * each pair. Dates alone are not enough: the service dates an upload by its own clock, which may differ
 * from this machine's.
 */
async function syncState(context: Context, folder: string, filesUrl: string) {
  const disk = await context.disk();
  const pair = { folder: disk.absolute(folder), files: addressOf(filesUrl) };
  const name = createHash('sha256').update(JSON.stringify(pair)).digest('hex').slice(0, 32);
  const file = join((await context.home()).data, 'sync', `${name}.json`);
  const bytes = (await disk.exists(file)) ? await disk.readFile(file, MAX_JSON_BYTES) : undefined;
  return {
    baseline: bytes ? parseBaselines(new TextDecoder().decode(bytes)) : new Map<string, Baseline>(),
    /** If this fails, the next sync compares dates. */
    save: (baseline: ReadonlyMap<string, Baseline>) =>
      unlessReported(context, 'could not save the state of the sync', async () => {
        const text = JSON.stringify({ ...pair, agreed: Object.fromEntries(baseline) });
        await disk.writeFile(file, `${text}\n`, { secret: true });
      }),
  };
}

/** The content of the file; empty if it is damaged: then dates decide, as in the first sync. */
function parseBaselines(text: string): Map<string, Baseline> {
  try {
    const { agreed } = JSON.parse(text) as { agreed: Record<string, Baseline> };
    return new Map(Object.entries(agreed));
  } catch {
    return new Map();
  }
}
