import type { FileItem } from '../contract/index.ts';
import type { PathInfo } from '../ports.ts';
import type { LocalFile } from './local-file.ts';

/** `up` makes the row like the folder, `down` the folder like the row. */
export type Direction = 'up' | 'down';

/** A step of a sync; `reason` is shown to the user. */
export interface SyncStep {
  readonly action: 'upload' | 'download' | 'delete';
  readonly key: string;
  readonly size: number;
  readonly reason: string;
}

/** A file when both sides were last the same: its size in bytes, and its dates in ms since the epoch. */
export interface Baseline {
  readonly size: number;
  readonly local: number;
  readonly remote: number;
}

/** Both sides, by key. */
export interface Sides {
  readonly local: ReadonlyMap<string, LocalFile>;
  readonly remote: ReadonlyMap<string, FileItem>;
  /** Names in the folder that cannot be synced: files of the row with such a key are left alone. */
  readonly blocked: ReadonlySet<string>;
  /** The files that were the same after the last sync. */
  readonly baseline: ReadonlyMap<string, Baseline>;
  /** Whether the contents are the same, for those files of equal size that were read. */
  readonly contents: ReadonlyMap<string, boolean>;
}

/** The steps that make one side like the other, with deletes only if `withDelete` is true. */
export function planSync(
  direction: Direction,
  sides: Sides,
  withDelete: boolean,
): { copies: SyncStep[]; deletes: SyncStep[] } {
  const local = new Map([...sides.local].map(([key, { facts }]) => [key, facts.size]));
  const remote = new Map([...sides.remote].map(([key, { size }]) => [key, size]));
  const [from, to] = direction === 'up' ? [local, remote] : [remote, local];
  const copies = [...from].flatMap(([key, size]): SyncStep[] => {
    const reason = copyReason(direction, sides, key);
    if (reason === undefined) return [];
    return [{ action: direction === 'up' ? 'upload' : 'download', key, size, reason }];
  });
  const isExtra = (key: string): boolean => !from.has(key) && !sides.blocked.has(key);
  const extra = withDelete ? [...to].filter(([key]) => isExtra(key)) : [];
  const reason = direction === 'up' ? 'not in the folder' : 'not in the row';
  return { copies, deletes: extra.map(([key, size]) => ({ action: 'delete', key, size, reason })) };
}

function copyReason(direction: Direction, sides: Sides, key: string): string | undefined {
  const local = sides.local.get(key);
  const remote = sides.remote.get(key);
  if (local === undefined || remote === undefined) return 'new';
  if (local.facts.size !== remote.size) return 'different size';
  const isSame = sides.contents.get(key);
  if (isSame !== undefined) return isSame ? undefined : 'different content';
  const before = sides.baseline.get(key);
  if (before !== undefined) {
    return isUnchanged(before, local, remote) ? undefined : 'changed since the last sync';
  }
  return copyReasonByDate(direction, local, remote);
}

/**
 * Files that neither the last sync nor the dates decide on: an upload gets its date from the service,
 * so an older file of the folder may be the one that was uploaded, or not.
 */
export function undecidedFiles(
  direction: Direction,
  { local, remote, baseline }: Pick<Sides, 'local' | 'remote' | 'baseline'>,
): Map<string, LocalFile> {
  if (direction === 'down') return new Map();
  return new Map(
    [...local].filter(([key, { facts }]) => {
      const item = remote.get(key);
      return item && !baseline.has(key) && Math.round(facts.modified) < item.modified;
    }),
  );
}

/**
 * Without a previous sync, the dates decide. A download gets the date of the row's file, so any other
 * date means a change. For an upload, only a newer local file does.
 */
function copyReasonByDate(
  direction: Direction,
  local: LocalFile,
  remote: FileItem,
): string | undefined {
  const here = Math.round(local.facts.modified);
  if (direction === 'down') return here === remote.modified ? undefined : 'different date';
  return here > remote.modified ? 'newer' : undefined;
}

function isUnchanged(before: Baseline, local: LocalFile, remote: FileItem): boolean {
  const { size, modified } = local.facts;
  return before.size === size && before.local === modified && before.remote === remote.modified;
}

/** The baseline of a file that is the same in the folder and in the row. */
export function baselineOf(local: PathInfo, remote: FileItem): Baseline {
  return { size: local.size, local: local.modified, remote: remote.modified };
}
