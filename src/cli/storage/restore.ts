import {
  type BackedUpRow,
  type BackupIndex,
  ownersOf,
  readIndex,
  refuseOtherPlace,
} from '../../backup/backup-index.ts';
import { type PlannedRestore, planRestore, restoreRow } from '../../backup/restore.ts';
import { UsageError } from '../../errors.ts';
import { type ItemResult, runPhases, stopsBatch } from '../../transfer/batch.ts';
import { uploadFiles } from '../../transfer/upload.ts';
import { rowName } from '../arguments/rows.ts';
import { ExitError } from '../errors.ts';
import { knownReport } from '../error-report.ts';
import { EXIT } from '../exit-codes.ts';
import { fileSetOf } from '../files/job.ts';
import type { ErrorReport } from '../output/forms.ts';
import type { RestoredItem } from '../output/storage-forms.ts';
import { listTable, stateCell, type Table } from '../output/table.ts';
import { countText } from '../output/units.ts';
import type { Context } from '../runtime.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { type RowTarget, rowTarget } from '../session/row.ts';
import { confirm } from '../ask.ts';
import type { Printed } from '../output/all-forms.ts';
import { noteWarnings } from '../output/notes.ts';
import type { Result } from '../output/result.ts';
import { changeOptions, withHistoryHint } from './change.ts';
import { showChange, showDiff } from './difference.ts';
import type { StorageWriteOptions } from './flags.ts';

type Planned = PlannedRestore & { readonly row: RowTarget };

export async function runRestore(
  context: Context<StorageWriteOptions>,
  folder: string,
  rows: readonly string[],
): Promise<Result> {
  const index = await readIndex(await context.disk(), folder);
  const { name, launch } = requireLaunch(await findLaunch(context));
  const chosen = chooseRows(index, rows);
  for (const { row } of chosen) refuseOtherPlace(index, folder, row, ownersOf(launch));
  const all: Planned[] = [];
  for (const each of chosen) all.push(await planRow(context, folder, each));
  for (const each of all) await show(context, each);
  if (context.options.dryRun) return planOf(all);
  const what = planText(all);
  if (what !== '') {
    await confirm(context, `Restore the backup of ${index.created} with launch ${name}: ${what}?`);
  }
  const written = await writeRows(context, all);
  const uploaded = written.some(stopsBatch) ? [] : await uploadAll(all);
  return report([
    ...written.map((each) => itemOf(each, { row: each.item.row.label, key: null })),
    ...uploaded,
  ]);
}

/** The rows that are named, or else all of the course; a parent row belongs to another course. */
function chooseRows(index: BackupIndex, named: readonly string[]): readonly BackedUpRow[] {
  const own = index.rows.filter(({ row }) => !row.startsWith('parent_'));
  if (named.length === 0) return own;
  return [...new Set(named.map(rowName))].map((name) => {
    const match = own.find(({ row }) => row === name);
    if (match !== undefined) return match;
    const known = own.map(({ row }) => row).join(', ');
    throw new UsageError(`the backup has no ${name} row to restore`, `it has ${known || 'none'}`);
  });
}

async function planRow(context: Context, folder: string, backedUp: BackedUpRow): Promise<Planned> {
  const row = await rowTarget(context, 'storage', backedUp.row);
  const hasFiles = backedUp.files.length > 0;
  const fileSet = hasFiles
    ? await fileSetOf(context, await rowTarget(context, 'files', backedUp.row))
    : undefined;
  const disk = await context.disk();
  return { ...(await planRestore(row, backedUp, { disk, folder, fileSet })), row };
}

async function show(context: Context, { row, write, isChanged }: Planned): Promise<void> {
  if (!isChanged || write.after === undefined) return;
  await noteWarnings(context, write.findings);
  if (!('violation' in write.before)) {
    await showDiff(context, [row.label, write.before], [`${row.label}, backup`, write.after]);
  }
  await showChange(context, row, write.before, write.after);
}

function planText(all: readonly Planned[]): string {
  const rows = all.filter(({ isChanged }) => isChanged).length;
  const files = all.flatMap(({ uploads }) => uploads.flat()).length;
  return [
    ...(rows > 0 ? [`replace ${countText(rows, 'row')}`] : []),
    ...(files > 0 ? [`upload ${countText(files, 'file')}`] : []),
  ].join(' and ');
}

function planOf(all: readonly Planned[]): Result<Printed<'storage restore'>> {
  const items = all.flatMap(({ row: { label: row }, isChanged, uploads }) => [
    { row, key: null, change: isChanged ? ('replace' as const) : ('unchanged' as const) },
    ...uploads.flat().map(({ key }) => ({ row, key, change: 'upload' as const })),
  ]);
  return {
    json: { dry_run: true, items },
    show: listTable(items, [{ name: 'row', whole: true }, 'key', 'change']),
    notes: ['dry run: nothing was sent'],
  };
}

type Written = ItemResult<Planned, Pick<RestoredItem, 'outcome' | 'before_image'>>;

/** Writes the rows one after the other. */
async function writeRows(
  context: Context<StorageWriteOptions>,
  all: readonly Planned[],
): Promise<readonly Written[]> {
  const options = { concurrency: 1, signal: context.interrupt };
  return runPhases([all], options, async (planned) => {
    if (!planned.isChanged) return { outcome: 'unchanged' as const, before_image: null };
    const { outcome, image = null } = await withHistoryHint(async () =>
      restoreRow(planned, await changeOptions(context, planned.row)),
    );
    return { outcome, before_image: image };
  });
}

async function uploadAll(all: readonly Planned[]): Promise<readonly RestoredItem[]> {
  const items: RestoredItem[] = [];
  for (const { row, fileSet, uploads } of all) {
    if (fileSet === undefined) continue;
    for (const result of await uploadFiles(fileSet, uploads)) {
      const { status, item } = result;
      const uploaded = { outcome: 'uploaded', before_image: null } as const;
      const done = status === 'done' ? { ...result, value: uploaded } : result;
      items.push(itemOf(done, { row: row.label, key: item.key }));
    }
  }
  return items;
}

function itemOf(
  result: ItemResult<unknown, Pick<RestoredItem, 'outcome' | 'before_image'>>,
  about: Pick<RestoredItem, 'row' | 'key'>,
): RestoredItem {
  if (result.status === 'done') return { ...about, ...result.value, error: null };
  return { ...about, outcome: result.status, before_image: null, error: knownReport(result.error) };
}

/** The outcomes; an error if one is not as planned. */
function report(items: readonly RestoredItem[]): Result<Printed<'storage restore'>> {
  const bad = items.flatMap(({ row, key, error }) =>
    error === null ? [] : [{ ...error, message: `${key ?? row}: ${error.message}` }],
  );
  const [first] = bad;
  if (first !== undefined && items.length === 1) {
    throw new ExitError(first.exit, first.code, first.message);
  }
  const done = `${items.length - bad.length} of ${items.length} are as in the backup`;
  return {
    json: { items },
    show: outcomeTable(items),
    errors: bad,
    notes: bad.length === 0 ? [done] : [],
    exit: exitOf(items, bad, done),
    done,
  };
}

function exitOf(
  items: readonly RestoredItem[],
  bad: readonly ErrorReport[],
  summary: string,
): ExitError | undefined {
  if (bad.length === 0) return undefined;
  if (items.every(({ outcome, error }) => error === null || outcome === 'in_doubt')) {
    return new ExitError(EXIT.inDoubt, 'batch.in_doubt', summary);
  }
  const ended = bad.find(({ exit }) => exit === EXIT.unauthenticated);
  return new ExitError(ended?.exit ?? EXIT.failed, 'batch.failed', summary);
}

function outcomeTable(items: readonly RestoredItem[]): Table {
  return listTable(items, [
    { name: 'row', whole: true },
    'key',
    { name: 'outcome', cell: ({ outcome }) => stateCell(outcome) },
    {
      name: 'previous version',
      numeric: true,
      drop: 1,
      cell: ({ before_image: image }) => image,
    },
  ]);
}
