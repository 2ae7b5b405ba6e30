import { join } from 'node:path';
import { checkKey, explainViolation, type FileItem } from '../contract/index.ts';
import { UsageError } from '../errors.ts';
import type { Disk, PathInfo } from '../ports.ts';
import { hasInvalidUtf8, type LocalFile } from './local-file.ts';

/** A file that is left out of a sync. */
export interface Skipped {
  readonly name: string;
  readonly reason: string;
  /** It should have been synced, but cannot be: the sync is incomplete. */
  readonly isMissed: boolean;
}

/** The content of a folder: files by name, which is their key, and what cannot be synced. */
export interface Scan {
  readonly files: ReadonlyMap<string, LocalFile>;
  /** By name, without following links: a link, where `files` has its target. */
  readonly entries: ReadonlyMap<string, PathInfo>;
  readonly skipped: readonly Skipped[];
}

export interface ScanOptions {
  /** Whether symbolic links are uploaded as the files that they point to. */
  readonly followLinks: boolean;
  /** Whether a name is part of the sync; others are ignored on both sides. */
  readonly isWanted: (name: string) => boolean;
}

/**
 * Scans a folder. Keys have no slashes, so files in subfolders are skipped. A missing folder is refused
 * if `isNeeded`: treated as empty, it would delete all files of the row.
 */
export async function scanFolder(
  disk: Disk,
  folder: string,
  options: ScanOptions & { readonly isNeeded: boolean },
): Promise<Scan> {
  const there = await disk.pathInfo(folder, { followLinks: true });
  if (there === undefined && options.isNeeded) {
    throw new UsageError(`no such folder: ${JSON.stringify(folder)}`);
  }
  if (there !== undefined && there.kind !== 'folder') {
    throw new UsageError(`${folder} is not a folder`, 'use files upload for single files');
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
    const rule = skipReason(name, facts);
    const reason = rule ?? (facts ? keyFault(name) : 'a name that is not UTF-8');
    if (reason !== undefined) skipped.push({ name, reason, isMissed: rule === undefined });
    else if (facts !== undefined) files.set(name, { name: path, path, facts });
  }
  return { files, entries, skipped };
}

/** Why an entry of the folder is not synced; undefined for a regular file. */
function skipReason(name: string, facts: PathInfo | undefined): string | undefined {
  if (name.startsWith('.')) return 'a hidden file: keys start with a letter or digit';
  if (facts === undefined && !hasInvalidUtf8(name)) return 'a broken link';
  if (facts?.kind === 'folder') return 'a folder: keys have no slashes';
  if (facts?.kind === 'link') return 'a symbolic link, which is not followed';
  return facts?.kind === 'other' ? 'not a regular file' : undefined;
}

/** Why a name is not a valid key; undefined if it is. */
function keyFault(name: string): string | undefined {
  const [fault] = checkKey(name);
  return fault === undefined ? undefined : explainViolation(fault).message;
}

/** The files of a listing with valid keys; a key is untrusted data. */
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
