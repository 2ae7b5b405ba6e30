import { join } from 'node:path';
import { checkKey, explainViolation, type FileItem } from '../contract/index.ts';
import { UsageError } from '../errors.ts';
import type { Disk, PathInfo } from '../ports.ts';
import { isMangled, type LocalFile } from './local-file.ts';

/** What is left out of a sync. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
  /** A file that should have been synced, and cannot be: the sync is not whole without it. */
  readonly isMissed: boolean;
}

/** What a folder holds: files under the names that are their keys, and what cannot be synced. */
export interface Scan {
  readonly files: ReadonlyMap<string, LocalFile>;
  /** What has each name itself: a link, where `files` has what it points at. */
  readonly entries: ReadonlyMap<string, PathInfo>;
  readonly skipped: readonly Skipped[];
}

export interface ScanOptions {
  readonly followLinks: boolean;
  /** Whether a name is wanted; others are as good as absent. */
  readonly isWanted: (name: string) => boolean;
}

/**
 * Looks at a folder. Keys have no slashes, so what lies in folders inside it has no key, and is
 * told. A folder that is not there is refused where it is needed: taken as empty, it would empty
 * the row.
 */
export async function scanFolder(
  disk: Disk,
  folder: string,
  options: ScanOptions & { readonly isNeeded: boolean },
): Promise<Scan> {
  const there = await disk.pathInfo(folder, { followLinks: true });
  if (there === undefined && options.isNeeded) {
    throw new UsageError(`there is no folder ${JSON.stringify(folder)}`);
  }
  if (there !== undefined && there.kind !== 'folder') {
    throw new UsageError(`${folder} is not a folder`, 'single files are uploaded one by one');
  }
  const files = new Map<string, LocalFile>();
  const entries = new Map<string, PathInfo>();
  const skipped: Skipped[] = [];
  const names = await disk.listFolder(folder);
  for (const name of names.filter(options.isWanted).sort()) {
    const path = join(folder, name);
    const entry = await disk.pathInfo(path);
    if (entry !== undefined) entries.set(name, entry);
    const facts = options.followLinks ? await disk.pathInfo(path, options) : entry;
    const rule = ruleAgainst(name, facts);
    const reason = rule ?? (facts ? keyFault(name) : 'a name that is not UTF-8');
    if (reason !== undefined) skipped.push({ name, reason, isMissed: rule === undefined });
    else if (facts !== undefined) files.set(name, { name: path, path, facts });
  }
  return { files, entries, skipped };
}

/** Why what has a name is no matter of a sync, if so. */
function ruleAgainst(name: string, facts: PathInfo | undefined): string | undefined {
  if (name.startsWith('.')) return 'a hidden file: keys start with a letter or digit';
  if (facts === undefined && !isMangled(name)) return 'a link that leads nowhere';
  if (facts?.kind === 'folder') return 'a folder: keys have no slashes';
  if (facts?.kind === 'link') return 'a symbolic link, which is not followed';
  return facts?.kind === 'other' ? 'not a regular file' : undefined;
}

/** Why a name cannot be a key. */
function keyFault(name: string): string | undefined {
  const [fault] = checkKey(name);
  return fault === undefined ? undefined : explainViolation(fault).message;
}

/** What a listing holds: files under keys that are such; a key is data, and may be anything. */
export function scanListing(
  items: readonly FileItem[],
  isWanted: (key: string) => boolean,
): { files: ReadonlyMap<string, FileItem>; skipped: Scan['skipped'] } {
  const wanted = items.filter(({ key }) => isWanted(key));
  const skipped = wanted.flatMap(({ key }) => {
    const reason = keyFault(key);
    return reason === undefined ? [] : [{ name: key, reason, isMissed: true }];
  });
  const bad = new Set(skipped.map(({ name }) => name));
  const files = wanted.filter(({ key }) => !bad.has(key)).map((item) => [item.key, item] as const);
  return { files: new Map(files), skipped };
}
