import {
  type BackedUpRow,
  type BackupIndex,
  ownersOf,
  readIndex,
  refuseOtherPlace,
} from '../../backup/backup-index.ts';
import { type PlannedRestore, planRestore, restoreRow } from '../../backup/restore.ts';
import { UsageError } from '../../errors.ts';
import { type ItemResult, runPhases } from '../../transfer/batch.ts';
import { uploadFile } from '../../transfer/upload.ts';
import { rowName } from '../arguments/rows.ts';
import { knownReport } from '../error-report.ts';
import { batchEnd, fileSetOf, isReported } from '../files/job.ts';
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
  return report(context, await restoreAll(context, all));
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

/** A row, or a file of it. */
interface Step {
  readonly row: string;
  readonly key: string | null;
  readonly work: () => Promise<Outcome>;
}

/** Writes the rows, and then uploads the files of each. */
async function restoreAll(
  context: Called<typeof WRITE_FLAGS>,
  all: readonly Planned[],
): Promise<ItemResult<Step, Outcome>[]> {
  const rows = all.map((planned): Step => {
    return { row: planned.row.label, key: null, work: () => writePlanned(context, planned) };
  });
  const files = all.flatMap(({ row, fileSet, uploads }) =>
    uploads.map((phase) =>
      phase.map((upload): Step => {
        const work = async (): Promise<Outcome> => {
          if (fileSet) await uploadFile(fileSet, upload, () => {});
          return { outcome: 'uploaded', before_image: null };
        };
        return { row: row.label, key: upload.key, work };
      }),
    ),
  );
  const options = { concurrency: 4, signal: context.interrupt };
  return runPhases([rows, ...files], options, ({ work }) => work());
}

async function writePlanned(
  context: Called<typeof WRITE_FLAGS>,
  planned: Planned,
): Promise<Outcome> {
  if (!planned.isChanged) return { outcome: 'unchanged', before_image: null };
  const { outcome, image = null } = await withHistoryHint(async () =>
    restoreRow(planned, await changeOptions(context, planned.row)),
  );
  return { outcome, before_image: image };
}

function itemOf({ item: { row, key }, ...result }: ItemResult<Step, Outcome>): RestoredItem {
  if (result.status === 'done') return { row, key, ...result.value, error: null };
  const error = knownReport(result.error);
  return { row, key, outcome: result.status, before_image: null, error };
}

/** The outcomes; an error if one is not as planned. */
function report(
  { interrupt }: Context,
  results: readonly ItemResult<Step, Outcome>[],
): Result<Printed<'storage restore'>> {
  const items = results.map(itemOf);
  const done = items.filter(({ error }) => error === null).length;
  const summary = `${done} of ${items.length} are as in the backup`;
  const end = batchEnd(interrupt, results, summary);
  const errors = results.filter(isReported).flatMap(({ item: { row, key }, error }) => {
    const known = knownReport(error);
    return error === end.exit ? [] : [{ ...known, message: `${key ?? row}: ${known.message}` }];
  });
  return { json: { items }, show: tableOf(RESTORED, items, 0), errors, ...end };
}
