import { join } from 'node:path';
import type { FileItem } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import type { Finding } from '../validator/finding.ts';
import { type BatchEvents, type BatchOptions, type ItemResult, runPhases } from './batch.ts';
import { compareContents } from './contents.ts';
import { deleteFile } from './delete.ts';
import { downloadFile } from './download.ts';
import { type FileSet, isKey } from './file-set.ts';
import { refuseChangedFile } from './local-file.ts';
import { refuseNames, refuseExisting } from './local-names.ts';
import { type Scan, scanFolder, type ScanOptions, scanListing, type Skipped } from './scan.ts';
import {
  type Baseline,
  baselineOf,
  type Direction,
  planSync,
  type SyncStep,
  undecidedFiles,
} from './sync-plan.ts';
import { type ProgressListener, uploadFile } from './upload.ts';
import {
  fitUploads,
  type PlannedUpload,
  planUploads,
  refuseUploads,
  uploadFindings,
} from './upload-plan.ts';

export interface SyncOptions extends Partial<ScanOptions> {
  /** `up` makes the row like the folder, `down` the folder like the row. */
  readonly direction: Direction;
  readonly folder: string;
  /** Delete what the other side does not have; defaults to false. */
  readonly withDelete?: boolean;
  /**
   * Compare contents, not only sizes and dates: reads every file of equal size on both sides.
   * Defaults to false.
   */
  readonly checksum?: boolean;
  /** Maximum parallel transfers while contents are compared; defaults to 4. */
  readonly concurrency?: number;
  /** The result of `baselineAfter` for the last sync; without it the dates decide. */
  readonly baseline?: ReadonlyMap<string, Baseline>;
}

/** A planned sync; nothing has been changed yet. */
export interface Sync {
  readonly fileSet: FileSet;
  readonly options: SyncOptions;
  /** What is left out on either side. */
  readonly skipped: readonly Skipped[];
  /** The row's files when the sync was planned. */
  readonly items: readonly FileItem[];
  readonly copies: readonly SyncStep[];
  readonly deletes: readonly SyncStep[];
  /** The steps in their order; each phase begins after the previous one. */
  readonly phases: readonly (readonly SyncStep[])[];
  /** Deletes come before uploads, since the quota needs their space. */
  readonly deletesFirst: boolean;
  /** Warnings about what is uploaded. */
  readonly findings: readonly Finding[];
  readonly scan: Scan;
  readonly uploads: ReadonlyMap<string, PlannedUpload>;
}

/**
 * Plans what makes one side like the other. Sends only reads; `runSync` carries the plan out.
 *
 * @throws {UsageError} the folder does not exist
 * @throws {InvalidError} a file would be refused, or cannot be written
 * @throws {Refusal} and {NoAnswer} as the client does
 * @example
 * const sync = await prepareSync(files, { direction: 'up', folder: 'handouts' });
 * const results = await runSync(sync);
 */
export async function prepareSync(fileSet: FileSet, options: SyncOptions): Promise<Sync> {
  const sync = { fileSet, options, ...(await compareSides(fileSet, options)) };
  return { ...sync, ...(await orderSteps(sync)) };
}

/** Reads both sides, and plans the steps. */
async function compareSides(
  fileSet: FileSet,
  options: SyncOptions,
): Promise<Pick<Sync, 'scan' | 'items' | 'skipped' | 'copies' | 'deletes'>> {
  const { direction, folder, followLinks = false, isWanted = () => true } = options;
  const { baseline = new Map<string, Baseline>(), concurrency = 4 } = options;
  const isNeeded = direction === 'up';
  const scanned = await scanFolder(fileSet.disk, folder, { followLinks, isWanted, isNeeded });
  const { items } = await fileSet.client.listFiles(fileSet.url);
  const named = direction === 'down' ? withKeysOf(items, scanned) : scanned;
  const isSame = [...scanned.files.keys()].every((name) => named.files.has(name));
  const scan = isSame || !(await fileSet.disk.ignoresCase(folder)) ? scanned : named;
  const listing = scanListing(items, isWanted);
  const blocked = new Set(scan.skipped.map(({ name }) => name));
  const sides = { local: scan.files, remote: listing.files, blocked, baseline };
  const local = options.checksum ? scan.files : undecidedFiles(direction, sides);
  const contents = await compareContents(fileSet, { ...sides, local }, concurrency);
  const plan = planSync(direction, { ...sides, contents }, options.withDelete === true);
  const [from, to] = direction === 'up' ? [scan, listing] : [listing, scan];
  // Other files of the side that is changed are not missed.
  const skipped = [
    ...from.skipped,
    ...to.skipped.map(({ name, reason }) => ({ name, reason, isMissed: false })),
  ];
  return { scan, items, skipped, ...plan };
}

/** On a disk that ignores case, a file whose name differs from a key in case only has the key. */
function withKeysOf(items: readonly FileItem[], scan: Scan): Scan {
  const keys = new Map(items.map(({ key }) => [key.toLowerCase(), key]));
  const renamed = <Value>(of: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> =>
    new Map([...of].map(([name, value]) => [keys.get(name.toLowerCase()) ?? name, value]));
  return { ...scan, files: renamed(scan.files), entries: renamed(scan.entries) };
}

type Unordered = Omit<Sync, 'phases' | 'uploads' | 'deletesFirst' | 'findings'>;
type Order = Pick<Sync, 'phases' | 'uploads' | 'deletesFirst' | 'findings'>;

/**
 * Deletes come last, so that nothing is deleted before its replacement exists, unless the quota needs
 * the space.
 */
async function orderSteps(sync: Unordered): Promise<Order> {
  const { copies, deletes, scan, items, options } = sync;
  if (options.direction === 'down') {
    await refuseDownloads(sync);
    const phases = [copies, deletes];
    return { phases, uploads: new Map(), deletesFirst: false, findings: [] };
  }
  const files = copies.flatMap(({ key }) => scan.files.get(key) ?? []);
  const planned = await planUploads(files, {});
  const deleted = new Set(deletes.map(({ key }) => key));
  const fit = (stored: readonly FileItem[]) => fitUploads(planned, sync.fileSet.kind, stored);
  const beforeDeletes = fit(items);
  const exceedsQuota = beforeDeletes.phases.flat().some(({ findings }) => findings.some(isQuota));
  const deletesFirst = exceedsQuota && deleted.size > 0;
  const fitted = deletesFirst ? fit(items.filter(({ key }) => !deleted.has(key))) : beforeDeletes;
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

/** Only regular files are replaced, and no two keys may be the same file. */
async function refuseDownloads({
  fileSet: { disk },
  options: { folder, isWanted = () => true },
  items,
  copies,
  scan,
}: Unordered): Promise<void> {
  const pathOf = ({ key }: { key: string }): string => join(folder, key);
  await refuseNames(disk, items.filter(({ key }) => isKey(key) && isWanted(key)).map(pathOf));
  for (const step of copies) {
    const { name, reason } = scan.skipped.find((each) => each.name === step.key) ?? {};
    if (name !== undefined) {
      throw new InvalidError(`${pathOf(step)} is in the way: it is ${reason}`, {
        code: 'local.exists',
        hint: 'move it, or leave the key out',
      });
    }
    await refuseExisting(disk, pathOf(step), true);
  }
}

/** The result of a step: the baseline of a copied file, undefined for a deleted one. */
export type SyncResult = ItemResult<SyncStep, Baseline | undefined>;

export interface SyncRunOptions extends BatchEvents<SyncStep, Baseline | undefined> {
  /** Maximum parallel transfers; defaults to 4. */
  readonly concurrency?: number;
  /** Called with each key before its step; throw to skip the step. */
  readonly check?: (key: string) => void;
}

/**
 * Carries out a planned sync. Resolves with the result of each step; an error of a file does not
 * reject it.
 *
 * @example
 * const results = await runSync(sync, { onResult: ({ item, status }) => console.log(item.key, status) });
 */
export async function runSync(
  sync: Sync,
  { concurrency = 4, check, ...events }: SyncRunOptions = {},
): Promise<SyncResult[]> {
  const options: BatchOptions<SyncStep, Baseline | undefined> = {
    concurrency,
    signal: sync.fileSet.signal,
    skipAfterFailure: ({ action }: SyncStep) => action === 'delete' && !sync.deletesFirst,
    ...events,
  };
  return runPhases(sync.phases, options, async (step) => {
    check?.(step.key);
    return runStep(sync, step, (bytes, size) => events.onProgress?.(step, bytes, size));
  });
}

async function runStep(
  sync: Sync,
  { action, key }: SyncStep,
  onProgress: ProgressListener,
): Promise<Baseline | undefined> {
  const { fileSet, options, scan, uploads } = sync;
  const { disk } = fileSet;
  const path = join(options.folder, key);
  const check = () => refuseChangedFile(disk, path, scan.entries.get(key));
  const upload = uploads.get(key);
  if (action === 'download') {
    const { record, facts } = await downloadFile(fileSet, key, path, { onProgress, check });
    return baselineOf(facts, record);
  }
  if (action === 'upload' && upload) {
    return baselineOf(upload.file.facts, await uploadFile(fileSet, upload, onProgress));
  }
  if (options.direction === 'down') {
    await check();
    await disk.remove(path);
  } else {
    await deleteFile(fileSet, key);
  }
  return undefined;
}

/**
 * The `baseline` of the next sync: the files that are the same on both sides. Each has the size and the
 * dates of its own transfer, or those from before the sync if it was not part of it, so that the next
 * sync sees any later change.
 */
export function baselineAfter(
  { options, phases, scan, items }: Sync,
  results: readonly SyncResult[],
): Map<string, Baseline> {
  const baseline = new Map(options.baseline);
  const planned = new Set(phases.flat().map(({ key }) => key));
  for (const item of items) {
    const facts = scan.files.get(item.key)?.facts;
    const isSame = facts?.size === item.size && !planned.has(item.key);
    if (isSame) baseline.set(item.key, baselineOf(facts, item));
  }
  for (const result of results) {
    if (result.status === 'done' && result.value) baseline.set(result.item.key, result.value);
  }
  return baseline;
}

/**
 * Lists both sides once more; resolves with the keys that others changed during the sync, so that the
 * sides differ now. The next sync copies them.
 *
 * @throws {Refusal} and {NoAnswer} as the client does
 * @example
 * const results = await runSync(sync);
 * const changed = await changedDuring(sync, results);
 */
export async function changedDuring(sync: Sync, results: readonly SyncResult[]): Promise<string[]> {
  const baseline = baselineAfter(sync, results);
  const options = { ...sync.options, checksum: false, baseline };
  const { copies, deletes } = await compareSides(sync.fileSet, options);
  const missed = new Set(
    results.flatMap(({ item, status }) => (status === 'done' ? [] : item.key)),
  );
  return [...copies, ...deletes].map(({ key }) => key).filter((key) => !missed.has(key));
}
