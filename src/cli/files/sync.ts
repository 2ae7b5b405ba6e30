import { ROW_NAMES } from '../../contract/index.ts';
import { isRow } from '../arguments/rows.ts';
import { UsageError } from '../errors.ts';
import { InvalidError } from '../../errors.ts';
import { countText, planTable } from '../output/files.ts';
import { bytesText } from '../output/units.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { rowTarget } from '../session/row.ts';
import { note, printJson, printTable } from '../ui.ts';
import { differingFiles } from './contents.ts';
import { tellNothing } from './job.ts';
import { scanFolder, scanListing } from './scan.ts';
import { type Direction, planSync } from './sync-plan.ts';
import { carryOut, keepAgreement, type Ordered, orderSync, type Sync } from './sync-run.ts';
import { syncState } from './sync-state.ts';

interface SyncOptions extends GlobalOptions {
  readonly delete?: boolean;
  readonly maxDelete?: number;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly checksum?: boolean;
  readonly followSymlinks?: boolean;
  readonly dryRun?: boolean;
  readonly concurrency: number;
}

export async function runSync(
  runtime: Runtime,
  options: SyncOptions,
  from: string,
  to: string,
): Promise<void> {
  const { direction, folder, row } = sidesOf(options, from, to);
  const transport = { connections: options.concurrency };
  const target = await rowTarget(runtime, options, 'files', row, transport);
  const isWanted = await filterOf(options);
  const scan = await scanFolder(runtime, folder, {
    followLinks: options.followSymlinks === true,
    isWanted,
    isNeeded: direction === 'up',
  });
  const { items } = await target.client.listFiles(target.url);
  const listing = scanListing(items, isWanted);
  const state = await syncState(runtime, folder, target.url);
  const agreed = await state.read();
  const inTheWay = new Set(scan.skipped.map(({ name }) => name));
  const sides = { local: scan.files, remote: listing.files, inTheWay };
  const differing = options.checksum
    ? await differingFiles(runtime, target, sides, options.concurrency)
    : undefined;
  const plan = planSync(direction, { ...sides, agreed, differing }, options.delete === true);
  const [here, there] =
    direction === 'up' ? [scan.skipped, listing.skipped] : [listing.skipped, scan.skipped];
  // What the side that is to be made like the other holds besides is missed by nobody.
  const skipped = [
    ...here,
    ...there.map(({ name, reason }) => ({ name, reason, isMissed: false })),
  ];
  const sync: Sync = { direction, folder, target, scan, skipped, items, agreed, ...plan };
  const ordered = await orderSync(runtime, options, sync);
  await showPlan(runtime, options, sync, ordered);
  refuseManyDeletes(options, sync);
  if (options.dryRun) return;
  if (sync.copies.length + sync.deletes.length === 0) {
    await keepAgreement(runtime, options, sync, state, new Set());
    return tellNothing(runtime, options, 'nothing to do', skipped);
  }
  await carryOut(runtime, options, sync, ordered, state);
}

/** Tells which side is the row: by its name, or as a URL. */
function sidesOf(
  options: SyncOptions,
  from: string,
  to: string,
): { direction: Direction; folder: string; row: string } {
  if (options.url !== undefined) {
    throw new UsageError(
      '--url does not say which side it is',
      'write the URL in the place of ROW',
    );
  }
  if (isRow(to) && !isRow(from)) return { direction: 'up', folder: from, row: to };
  if (isRow(from) && !isRow(to)) return { direction: 'down', folder: to, row: from };
  throw new UsageError(
    isRow(from) ? 'both sides are rows, and one must be a folder' : 'neither side is a row',
    isRow(from)
      ? `a folder that is called like a row is written ./${to}`
      : `lectern files sync DIR ROW, or ROW DIR; ROW is one of ${ROW_NAMES.join(', ')}, or a URL`,
  );
}

async function filterOf({ include, exclude }: SyncOptions): Promise<(name: string) => boolean> {
  if (include.length + exclude.length === 0) return () => true;
  const { default: picomatch } = await import('picomatch');
  const matcher = (flag: string, globs: readonly string[]): ((name: string) => boolean) => {
    try {
      return picomatch([...globs], { dot: true });
    } catch (error) {
      throw new UsageError(`${flag} is no glob: ${(error as Error).message}`, 'such as *.pdf');
    }
  };
  const isIncluded = include.length === 0 ? () => true : matcher('--include', include);
  const isExcluded = exclude.length === 0 ? () => false : matcher('--exclude', exclude);
  return (name) => isIncluded(name) && !isExcluded(name);
}

/** The plan is what a dry run prints; otherwise it is told before anything is done. */
async function showPlan(
  runtime: Runtime,
  options: SyncOptions,
  sync: Sync,
  { phases, deletesFirst }: Ordered,
): Promise<void> {
  const steps = phases.flat();
  const { direction, copies, deletes, skipped } = sync;
  if (options.dryRun && options.json) {
    const summary = { copies: copies.length, deletes: deletes.length };
    await printJson(runtime, {
      dry_run: true,
      direction,
      deletes_first: deletesFirst,
      steps,
      skipped: skipped.map(({ name, reason }) => ({ name, reason })),
      summary,
    });
    return;
  }
  for (const { name, reason } of skipped) {
    await note(runtime, options, `not synced: ${name}: ${reason}`);
  }
  const table = planTable(steps);
  if (options.dryRun) await printTable(runtime, table);
  else if (steps.length > 0 && !options.quiet && !options.json) {
    await printTable(runtime, table, runtime.stderr);
  }
  if (deletesFirst) await note(runtime, options, 'the quota needs the room: deletes come first');
  if (options.dryRun || steps.length > 0) await note(runtime, options, planText(sync));
}

function planText({ direction, copies, deletes }: Sync): string {
  const size = copies.reduce((sum, step) => sum + step.size, 0);
  const parts = [
    copies.length === 0
      ? ''
      : `${direction === 'up' ? 'upload' : 'download'} ${countText(copies.length)} (${bytesText(size)})`,
    deletes.length === 0 ? '' : `delete ${countText(deletes.length)}`,
  ].filter((part) => part !== '');
  return `plan: ${parts.length === 0 ? 'nothing to do' : parts.join(', ')}`;
}

function refuseManyDeletes({ maxDelete }: SyncOptions, { deletes }: Sync): void {
  if (maxDelete === undefined || deletes.length <= maxDelete) return;
  throw new InvalidError(
    `${countText(deletes.length)} would be deleted, and --max-delete allows ${maxDelete}; nothing was done`,
    { code: 'sync.max_delete', hint: 'look at the plan with --dry-run' },
  );
}
