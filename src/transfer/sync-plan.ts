import type { FileItem } from '../contract/index.ts';
import type { LocalFile } from './local-file.ts';

/** `up` makes the row like the folder, `down` the folder like the row. */
export type Direction = 'up' | 'down';

/** One thing to do. */
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
  /** Files of equal size whose contents differ; undefined if contents were not compared. */
  readonly differing: ReadonlySet<string> | undefined;
}

/** The steps that make one side like the other, with deletes only if `withDelete` is true. */
export function planSync(
  direction: Direction,
  sides: Sides,
  withDelete: boolean,
): { copies: SyncStep[]; deletes: SyncStep[] } {
  const sizeOf = ({ facts }: LocalFile): number => facts.size;
  const [from, to] =
    direction === 'up'
      ? [sizes(sides.local, sizeOf), sizes(sides.remote, ({ size }) => size)]
      : [sizes(sides.remote, ({ size }) => size), sizes(sides.local, sizeOf)];
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

function sizes<File>(
  files: ReadonlyMap<string, File>,
  size: (file: File) => number,
): Map<string, number> {
  return new Map([...files].map(([key, file]) => [key, size(file)]));
}

function copyReason(direction: Direction, sides: Sides, key: string): string | undefined {
  const local = sides.local.get(key);
  const remote = sides.remote.get(key);
  if (local === undefined || remote === undefined) return 'new';
  if (local.facts.size !== remote.size) return 'different size';
  if (sides.differing !== undefined) {
    return sides.differing.has(key) ? 'different content' : undefined;
  }
  const before = sides.baseline.get(key);
  if (before !== undefined) {
    return isUnchanged(before, local, remote) ? undefined : 'changed since the last sync';
  }
  return copyReasonByDate(direction, local, remote);
}

/**
 * Without a previous sync, the dates decide. A download gets the date of the row's file, so any other
 * date means a change. An upload gets its date from the service, so only a newer local file does.
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

/** The baseline of all files of equal size. */
export function baselineOf(
  local: ReadonlyMap<string, LocalFile>,
  remote: ReadonlyMap<string, FileItem>,
): Map<string, Baseline> {
  const baseline = new Map<string, Baseline>();
  for (const [key, { facts }] of local) {
    const item = remote.get(key);
    if (item?.size !== facts.size) continue;
    baseline.set(key, { size: facts.size, local: facts.modified, remote: item.modified });
  }
  return baseline;
}
