import { join } from 'node:path';
import type { FileItem } from '../../contract/index.ts';
import { InvalidError } from '../../errors.ts';
import { countText } from '../output/files.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import { noteWarnings } from '../shared/findings.ts';
import type { RowTarget } from '../session/row.ts';
import { note } from '../ui.ts';
import { confirmListed, refuseChangedFile } from './changed.ts';
import { refuseNames, refuseTaken } from './destination.ts';
import { downloadFile } from './download-file.ts';
import { runJob } from './job.ts';
import { isKey } from './keys.ts';
import { patiently } from './retry.ts';
import type { Scan } from './scan.ts';
import { type Agreed, agreement, type Direction, type SyncStep } from './sync-plan.ts';
import type { SyncState } from './sync-state.ts';
import { type Transfer, uploadFile, wordsFor } from './upload-file.ts';
import {
  fitUploads,
  type PlannedUpload,
  planUploads,
  refuseUploads,
  uploadFindings,
} from './upload-plan.ts';

/** A sync that has been planned. */
export interface Sync {
  readonly direction: Direction;
  readonly folder: string;
  readonly target: RowTarget;
  readonly scan: Scan;
  /** What is left out on either side. */
  readonly skipped: Scan['skipped'];
  readonly items: readonly FileItem[];
  readonly agreed: ReadonlyMap<string, Agreed>;
  readonly copies: readonly SyncStep[];
  readonly deletes: readonly SyncStep[];
}

/** The steps in their order, and the uploads among them. */
export interface Ordered {
  readonly phases: readonly (readonly SyncStep[])[];
  readonly uploads: ReadonlyMap<string, PlannedUpload>;
  readonly deletesFirst: boolean;
}

/**
 * Puts the steps in order: deletes come last, so that nothing is gone before what replaces it is
 * there, unless the quota needs their room. Throws `InvalidError` for what cannot be done.
 */
export async function orderSync(
  runtime: Runtime,
  options: GlobalOptions,
  sync: Sync,
): Promise<Ordered> {
  if (sync.direction === 'down') {
    await refuseDownload(runtime, sync);
    return { phases: [sync.copies, sync.deletes], uploads: new Map(), deletesFirst: false };
  }
  const { copies, deletes, scan, items, target } = sync;
  const files = copies.flatMap(({ key }) => scan.files.get(key) ?? []);
  const planned = await planUploads(files, {});
  const doomed = new Set(deletes.map(({ key }) => key));
  const fits = (stored: readonly FileItem[]) => fitUploads(planned, target.kind, stored);
  const asItStands = fits(items);
  const isTight = asItStands.phases.flat().some(({ findings }) => findings.some(isQuota));
  const deletesFirst = isTight && doomed.size > 0;
  const fitted = deletesFirst ? fits(items.filter(({ key }) => !doomed.has(key))) : asItStands;
  refuseUploads(fitted.phases.flat());
  await noteWarnings(runtime, options, uploadFindings(fitted.phases.flat()));
  const steps = new Map(copies.map((step) => [step.key, step]));
  const uploads = fitted.phases.map((phase) => phase.flatMap(({ key }) => steps.get(key) ?? []));
  return {
    phases: deletesFirst ? [deletes, ...uploads] : [...uploads, deletes],
    uploads: new Map(fitted.phases.flat().map((each) => [each.key, each])),
    deletesFirst,
  };
}

function isQuota({ code }: { readonly code: string }): boolean {
  return code.startsWith('files.');
}

/** Nothing but plain files gives way, and no two keys may be one file. */
async function refuseDownload(runtime: Runtime, sync: Sync): Promise<void> {
  const pathOf = ({ key }: { key: string }): string => join(sync.folder, key);
  await refuseNames(runtime, sync.items.filter(({ key }) => isKey(key)).map(pathOf));
  const disk = await runtime.disk();
  for (const step of sync.copies) {
    const { name, reason } = sync.scan.skipped.find((each) => each.name === step.key) ?? {};
    if (name !== undefined) {
      throw new InvalidError(`${pathOf(step)} is in the way: it is ${reason}`, {
        code: 'local.exists',
        hint: 'move it, or leave the key out: --exclude KEY',
      });
    }
    await refuseTaken(disk, pathOf(step), true);
  }
}

const DONE = { upload: 'uploaded', download: 'downloaded', delete: 'deleted' } as const;

/**
 * Asks where something would be deleted, does it all, tells of it, and keeps on record what both
 * sides agree on now.
 */
export async function carryOut(
  runtime: Runtime,
  options: GlobalOptions & { readonly concurrency: number },
  sync: Sync,
  ordered: Ordered,
  state: SyncState,
): Promise<void> {
  const { direction, folder, target } = sync;
  const pathOf = (key: string): string => join(folder, key);
  const refuseChanged = await confirmDeletes(runtime, options, sync);
  const disk = await runtime.disk();
  const work = async (step: SyncStep, moved: Transfer['moved']): Promise<void> => {
    refuseChanged(step.key);
    const { client, url: filesUrl } = target;
    const transfer = { runtime, client, filesUrl, moved };
    const upload = ordered.uploads.get(step.key);
    const path = pathOf(step.key);
    const check = () => refuseChangedFile(disk, path, sync.scan.entries.get(step.key));
    if (step.action === 'download') await downloadFile(transfer, step.key, path, check);
    else if (step.action === 'upload' && upload) await uploadFile(transfer, upload);
    else if (direction === 'down') {
      await check();
      await disk.remove(path);
    } else await patiently(runtime, () => client.deleteFile(filesUrl, step.key));
  };
  await runJob<SyncStep, void>(
    runtime,
    options,
    {
      phases: ordered.phases,
      concurrency: options.concurrency,
      key: ({ key }) => key,
      size: ({ action, size }) => (action === 'delete' ? null : size),
      path: ({ key }) => pathOf(key),
      done: ({ action }) => DONE[action],
      skipped: sync.skipped,
      isGuarded: ({ action }) => action === 'delete' && !ordered.deletesFirst,
      work,
    },
    async (settled) => {
      const missed = settled.filter(({ fate }) => fate !== 'done').map(({ item }) => item.key);
      await keepAgreement(runtime, options, sync, state, new Set(missed));
    },
  );
}

/** Gives what refuses a key that has another file in the row than the plan that was agreed to. */
async function confirmDeletes(
  runtime: Runtime,
  options: GlobalOptions,
  { direction, deletes, folder, target, items }: Sync,
): Promise<(key: string) => void> {
  if (deletes.length === 0) return () => {};
  const where = direction === 'up' ? `of the ${target.label} row` : `in ${folder}`;
  const question = `Delete ${countText(deletes.length)} ${where} that the other side does not have?`;
  const shown = new Map(items.map((item) => [item.key, item]));
  return confirmListed(runtime, options, target, shown, question);
}

/** What is the same now, for the next sync; one that cannot be kept is compared by its dates. */
export async function keepAgreement(
  runtime: Runtime,
  options: GlobalOptions,
  { copies, folder, scan, items, agreed, target }: Sync,
  state: SyncState,
  missed: ReadonlySet<string>,
): Promise<void> {
  if (runtime.interrupt.aborted) return;
  try {
    const disk = await runtime.disk();
    const local = new Map(scan.files);
    for (const { key, action } of copies) {
      const path = join(folder, key);
      const facts = action === 'download' ? await disk.facts(path) : undefined;
      if (facts !== undefined) local.set(key, { name: path, path, facts });
    }
    for (const key of missed) local.delete(key);
    const listed = copies.length === 0 ? items : (await target.client.listFiles(target.url)).items;
    const now = agreement(local, new Map(listed.map((item) => [item.key, item])));
    await state.write(new Map([...agreed, ...now]));
  } catch (error) {
    await note(runtime, options, `the sync is not on record: ${wordsFor(error)}`);
  }
}
