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

/** A file as it was on both sides when they were last the same: bytes, and ms since the epoch. */
export interface Baseline {
  readonly size: number;
  readonly local: number;
  readonly remote: number;
}

/** Both sides, by key. */
export interface Sides {
  readonly local: ReadonlyMap<string, LocalFile>;
  readonly remote: ReadonlyMap<string, FileItem>;
  /** Names in the folder that are no files to sync: what has such a key is left as it is. */
  readonly blocked: ReadonlySet<string>;
  /** What is known of the last sync. */
  readonly agreed: ReadonlyMap<string, Baseline>;
  /** Of the files of equal size, those whose contents differ; undefined where they were not read. */
  readonly differing: ReadonlySet<string> | undefined;
}

/** What makes one side like the other. Deleting is left out unless it is asked for. */
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
    const reason = whyCopy(direction, sides, key);
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

function whyCopy(direction: Direction, sides: Sides, key: string): string | undefined {
  const local = sides.local.get(key);
  const remote = sides.remote.get(key);
  if (local === undefined || remote === undefined) return 'new';
  if (local.facts.size !== remote.size) return 'another size';
  if (sides.differing !== undefined) {
    return sides.differing.has(key) ? 'other content' : undefined;
  }
  const agreed = sides.agreed.get(key);
  if (agreed !== undefined) {
    return isAgreed(agreed, local, remote) ? undefined : 'changed since the last sync';
  }
  return whyByTime(direction, local, remote);
}

/**
 * Without a sync on record the dates decide. A download takes over the date of the row's file, so
 * there any other date tells of a change. An upload is dated by the service: there only a file that
 * is newer here does.
 */
function whyByTime(direction: Direction, local: LocalFile, remote: FileItem): string | undefined {
  const here = Math.round(local.facts.modified);
  if (direction === 'down') return here === remote.modified ? undefined : 'another date';
  return here > remote.modified ? 'newer' : undefined;
}

function isAgreed(agreed: Baseline, local: LocalFile, remote: FileItem): boolean {
  const { size, modified } = local.facts;
  return agreed.size === size && agreed.local === modified && agreed.remote === remote.modified;
}

/** What both sides agree on where their files are of equal size, to be kept for the next sync. */
export function baselineOf(
  local: ReadonlyMap<string, LocalFile>,
  remote: ReadonlyMap<string, FileItem>,
): Map<string, Baseline> {
  const agreed = new Map<string, Baseline>();
  for (const [key, { facts }] of local) {
    const item = remote.get(key);
    if (item?.size !== facts.size) continue;
    agreed.set(key, { size: facts.size, local: facts.modified, remote: item.modified });
  }
  return agreed;
}
