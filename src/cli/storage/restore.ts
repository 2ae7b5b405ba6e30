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
import { batchError, fileSetOf } from '../files/job.ts';
import { RESTORE_PLAN, RESTORED, type RestoredItem } from '../output/images.ts';
import { tableOf } from '../output/columns.ts';
import { countText } from '../output/units.ts';
import type { Called, Context } from '../runtime.ts';
import { findLaunch, requireLaunch } from '../session/launch.ts';
import { type RowTarget, rowTarget } from '../session/resolve-call.ts';
import { confirm } from '../ask.ts';
import type { Printed } from '../output/all-forms.ts';
import { noteWarnings } from '../output/notes.ts';
import type { Result } from '../output/result.ts';
import { refuseUrl } from '../shared/backup.ts';
import { changeOptions, withHistoryHint } from './change.ts';
import { showChange, showDiff } from './difference.ts';
import type { WRITE_FLAGS } from './flags.ts';

type Planned = PlannedRestore & { readonly row: RowTarget };

export async function runRestore(
  context: Called<typeof WRITE_FLAGS>,
  folder: string,
  rows: readonly string[],
): Promise<Result> {
  refuseUrl(context);
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
  const uploaded = written.some(({ result }) => stopsBatch(result)) ? [] : await uploadAll(all);
  return report(context, [...written, ...uploaded]);
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
    show: tableOf(RESTORE_PLAN, items, 0),
    notes: ['dry run: nothing was sent'],
  };
}

type Outcome = Pick<RestoredItem, 'outcome' | 'before_image'>;

/** What was done with a row, or a file of it. */
interface Restored {
  readonly row: string;
  readonly key: string | null;
  readonly result: ItemResult<unknown, Outcome>;
}

/** Writes the rows one after the other. */
async function writeRows(
  context: Called<typeof WRITE_FLAGS>,
  all: readonly Planned[],
): Promise<readonly Restored[]> {
  const options = { concurrency: 1, signal: context.interrupt };
  const results = await runPhases([all], options, async (planned): Promise<Outcome> => {
    if (!planned.isChanged) return { outcome: 'unchanged', before_image: null };
    const { outcome, image = null } = await withHistoryHint(async () =>
      restoreRow(planned, await changeOptions(context, planned.row)),
    );
    return { outcome, before_image: image };
  });
  return results.map((result) => ({ row: result.item.row.label, key: null, result }));
}

async function uploadAll(all: readonly Planned[]): Promise<readonly Restored[]> {
  const restored: Restored[] = [];
  const value = { outcome: 'uploaded', before_image: null } as const;
  for (const { row, fileSet, uploads } of all) {
    if (fileSet === undefined) continue;
    for (const each of await uploadFiles(fileSet, uploads)) {
      const result = each.status === 'done' ? { ...each, value } : each;
      restored.push({ row: row.label, key: each.item.key, result });
    }
  }
  return restored;
}

function itemOf({ row, key, result }: Restored): RestoredItem {
  if (result.status === 'done') return { row, key, ...result.value, error: null };
  const error = knownReport(result.error);
  return { row, key, outcome: result.status, before_image: null, error };
}

/** The outcomes; an error if one is not as planned. */
function report(
  { interrupt }: Context,
  restored: readonly Restored[],
): Result<Printed<'storage restore'>> {
  const items = restored.map(itemOf);
  const errors = items.flatMap(({ row, key, error }) =>
    error === null ? [] : [{ ...error, message: `${key ?? row}: ${error.message}` }],
  );
  const [first] = errors;
  if (first !== undefined && items.length === 1) {
    throw new ExitError(first.exit, first.code, first.message);
  }
  const done = `${items.length - errors.length} of ${items.length} are as in the backup`;
  const ended = restored.map(({ result }) => result);
  return {
    json: { items },
    show: tableOf(RESTORED, items, 0),
    errors,
    notes: errors.length === 0 ? [done] : [],
    exit: batchError(interrupt, ended, done),
    done,
  };
}
