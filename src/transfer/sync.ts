import { join } from 'node:path';
import type { FileItem, RowKind } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import type { Finding } from '../validator/finding.ts';
import { type BatchEvents, runPhases, type Settled } from './batch.ts';
import { differingFiles } from './contents.ts';
import { downloadFile } from './download.ts';
import type { FileSet } from './file-set.ts';
import { isKey } from './keys.ts';
import { refuseChangedFile } from './local-file.ts';
import { refuseNames, refuseTaken } from './local-names.ts';
import { retryOn429 } from './retry.ts';
import { type Scan, scanFolder, type ScanOptions, scanListing, type Skipped } from './scan.ts';
import { type Baseline, baselineOf, type Direction, planSync, type SyncStep } from './sync-plan.ts';
import { type Moved, uploadFile } from './upload.ts';
import {
  fitUploads,
  type PlannedUpload,
  planUploads,
  refuseUploads,
  uploadFindings,
} from './upload-plan.ts';

export interface SyncOptions extends ScanOptions {
  /** `up` makes the row like the folder, `down` the folder like the row. */
  readonly direction: Direction;
  readonly folder: string;
  /** Whose quota holds; undefined where nothing tells. */
  readonly kind: RowKind | undefined;
  /** Delete what the other side does not have. */
  readonly withDelete: boolean;
  /** Compare contents, not only sizes and dates: reads every file of equal size on both sides. */
  readonly checksum: boolean;
  readonly concurrency: number;
  /** What both sides agreed on after the last sync, as `baselineAfter` gave it. */
  readonly agreed: ReadonlyMap<string, Baseline>;
}

/** A sync that has been planned: nothing has been changed yet. */
export interface Sync {
  readonly fileSet: FileSet;
  readonly direction: Direction;
  readonly folder: string;
  /** What is left out on either side. */
  readonly skipped: readonly Skipped[];
  /** The row's files when the sync was planned. */
  readonly items: readonly FileItem[];
  readonly copies: readonly SyncStep[];
  readonly deletes: readonly SyncStep[];
  /** The steps in their order; each phase begins when the one before has ended. */
  readonly phases: readonly (readonly SyncStep[])[];
  /** The quota needs the room, so deletes come before uploads. */
  readonly deletesFirst: boolean;
  /** Warnings about what is uploaded. */
  readonly findings: readonly Finding[];
  readonly agreed: ReadonlyMap<string, Baseline>;
  readonly scan: Scan;
  readonly uploads: ReadonlyMap<string, PlannedUpload>;
}

/**
 * Looks at both sides and plans what makes one like the other. Throws what the client throws,
 * `UsageError` for a folder that is not there, and `InvalidError` for what cannot be done.
 *
 * @example
 * const sync = await prepareSync(files, {
 *   direction: 'up',
 *   folder: 'handouts',
 *   kind: files.kind,
 *   withDelete: false,
 *   checksum: false,
 *   concurrency: 4,
 *   followLinks: false,
 *   isWanted: () => true,
 *   agreed: new Map(),
 * });
 * const settled = await runSync(sync, { concurrency: 4 });
 */
export async function prepareSync(fileSet: FileSet, options: SyncOptions): Promise<Sync> {
  const { direction, folder, agreed, isWanted, followLinks } = options;
  const isNeeded = direction === 'up';
  const scan = await scanFolder(fileSet.disk, folder, { followLinks, isWanted, isNeeded });
  const { items } = await fileSet.client.listFiles(fileSet.url);
  const listing = scanListing(items, isWanted);
  const blocked = new Set(scan.skipped.map(({ name }) => name));
  const sides = { local: scan.files, remote: listing.files, blocked };
  const differing = options.checksum
    ? await differingFiles(fileSet, sides, options.concurrency)
    : undefined;
  const plan = planSync(direction, { ...sides, agreed, differing }, options.withDelete);
  const [from, to] = direction === 'up' ? [scan, listing] : [listing, scan];
  // What the side that is to be made like the other holds besides is missed by nobody.
  const skipped = [
    ...from.skipped,
    ...to.skipped.map(({ name, reason }) => ({ name, reason, isMissed: false })),
  ];
  const sync = { fileSet, direction, folder, scan, skipped, items, agreed, ...plan };
  return { ...sync, ...(await orderSteps(sync, options.kind)) };
}

type Unordered = Omit<Sync, 'phases' | 'uploads' | 'deletesFirst' | 'findings'>;
type Order = Pick<Sync, 'phases' | 'uploads' | 'deletesFirst' | 'findings'>;

/**
 * Deletes come last, so that nothing is gone before what replaces it is there, unless the quota needs
 * their room.
 */
async function orderSteps(sync: Unordered, kind: RowKind | undefined): Promise<Order> {
  const { copies, deletes, scan, items } = sync;
  if (sync.direction === 'down') {
    await refuseDownloads(sync);
    const phases = [copies, deletes];
    return { phases, uploads: new Map(), deletesFirst: false, findings: [] };
  }
  const files = copies.flatMap(({ key }) => scan.files.get(key) ?? []);
  const planned = await planUploads(files, {});
  const doomed = new Set(deletes.map(({ key }) => key));
  const fits = (stored: readonly FileItem[]) => fitUploads(planned, kind, stored);
  const asItStands = fits(items);
  const isTight = asItStands.phases.flat().some(({ findings }) => findings.some(isQuota));
  const deletesFirst = isTight && doomed.size > 0;
  const fitted = deletesFirst ? fits(items.filter(({ key }) => !doomed.has(key))) : asItStands;
  const fittedUploads = fitted.phases.flat();
  refuseUploads(fittedUploads);
  const steps = new Map(copies.map((step) => [step.key, step]));
  const uploads = fitted.phases.map((phase) => phase.flatMap(({ key }) => steps.get(key) ?? []));
  return {
    phases: deletesFirst ? [deletes, ...uploads] : [...uploads, deletes],
    uploads: new Map(fittedUploads.map((each) => [each.key, each])),
    deletesFirst,
    findings: uploadFindings(fittedUploads),
  };
}

function isQuota({ code }: { readonly code: string }): boolean {
  return code.startsWith('files.');
}

/** Only regular files are replaced, and no two keys may be one file. */
async function refuseDownloads({ fileSet, folder, items, copies, scan }: Unordered): Promise<void> {
  const { disk } = fileSet;
  const pathOf = ({ key }: { key: string }): string => join(folder, key);
  await refuseNames(disk, items.filter(({ key }) => isKey(key)).map(pathOf));
  for (const step of copies) {
    const { name, reason } = scan.skipped.find((each) => each.name === step.key) ?? {};
    if (name !== undefined) {
      throw new InvalidError(`${pathOf(step)} is in the way: it is ${reason}`, {
        code: 'local.exists',
        hint: 'move it, or leave the key out',
      });
    }
    await refuseTaken(disk, pathOf(step), true);
  }
}

export interface SyncRunOptions extends BatchEvents<SyncStep, void> {
  readonly concurrency: number;
  /** Called with each key before its step; throws where the step must not be made any more. */
  readonly check?: (key: string) => void;
}

/** Carries a planned sync out. Resolves with how each step ended; no error of a file rejects it. */
export async function runSync(
  sync: Sync,
  { concurrency, check, ...events }: SyncRunOptions,
): Promise<Settled<SyncStep>[]> {
  const options = {
    concurrency,
    signal: sync.fileSet.signal,
    isGuarded: ({ action }: SyncStep) => action === 'delete' && !sync.deletesFirst,
    ...events,
  };
  return runPhases(sync.phases, options, async (step) => {
    check?.(step.key);
    await runStep(sync, step, (bytes, size) => events.moved?.(step, bytes, size));
  });
}

async function runStep(sync: Sync, { action, key }: SyncStep, moved: Moved): Promise<void> {
  const { fileSet, direction, folder, scan, uploads } = sync;
  const { disk, client, url } = fileSet;
  const path = join(folder, key);
  const check = () => refuseChangedFile(disk, path, scan.entries.get(key));
  const upload = uploads.get(key);
  if (action === 'download') await downloadFile(fileSet, key, path, { moved, check });
  else if (action === 'upload' && upload) await uploadFile(fileSet, upload, moved);
  else if (direction === 'down') {
    await check();
    await disk.remove(path);
  } else await retryOn429(fileSet, () => client.deleteFile(url, key));
}

/**
 * What both sides agree on after a sync, to be kept for the next one. `missed` are the keys whose
 * step was not done. Throws what the client and the disk throw.
 */
export async function baselineAfter(
  { fileSet, copies, folder, scan, items, agreed }: Sync,
  missed: ReadonlySet<string>,
): Promise<Map<string, Baseline>> {
  const { client, url, disk } = fileSet;
  const local = new Map(scan.files);
  for (const { key, action } of copies) {
    const path = join(folder, key);
    const facts = action === 'download' ? await disk.pathInfo(path) : undefined;
    if (facts !== undefined) local.set(key, { name: path, path, facts });
  }
  for (const key of missed) local.delete(key);
  const listed = copies.length === 0 ? items : (await client.listFiles(url)).items;
  const now = baselineOf(local, new Map(listed.map((item) => [item.key, item])));
  return new Map([...agreed, ...now]);
}
