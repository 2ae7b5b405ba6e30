import { join } from 'node:path';
import { checkKey, explainViolation, type FileItem } from '../../contract/index.ts';
import { UsageError } from '../errors.ts';
import { isMangled } from '../missing-file.ts';
import type { PathFacts, Runtime } from '../runtime.ts';
import type { LocalFile } from './local-files.ts';

/** What a folder holds: files under the names that are their keys, and what cannot be synced. */
export interface Scan {
  readonly files: ReadonlyMap<string, LocalFile>;
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

export interface ScanOptions {
  readonly followLinks: boolean;
  /** Whether a name is within `--include` and `--exclude`; others are as good as absent. */
  readonly isWanted: (name: string) => boolean;
}

/**
 * Looks at a folder. Keys have no slashes, so what lies in folders inside it has no key, and is
 * told. A folder that is not there is refused where it is needed: taken as empty, it would empty
 * the row.
 */
export async function scanFolder(
  runtime: Runtime,
  folder: string,
  options: ScanOptions & { readonly isNeeded: boolean },
): Promise<Scan> {
  const disk = await runtime.disk();
  const there = await disk.facts(folder, { followLinks: true });
  if (there === undefined && options.isNeeded) {
    throw new UsageError(`there is no folder ${JSON.stringify(folder)}`);
  }
  if (there !== undefined && there.kind !== 'folder') {
    throw new UsageError(`${folder} is no folder`, 'for single files: lectern files upload');
  }
  const files = new Map<string, LocalFile>();
  const skipped: { name: string; reason: string }[] = [];
  for (const name of (await disk.listFolder(folder)).filter(options.isWanted).sort()) {
    const path = join(folder, name);
    const facts = await disk.facts(path, options);
    const reason = whyNot(name, facts);
    if (reason !== undefined) skipped.push({ name, reason });
    else if (facts !== undefined) files.set(name, { name: path, path, facts });
  }
  return { files, skipped };
}

function whyNot(name: string, facts: PathFacts | undefined): string | undefined {
  if (facts === undefined && isMangled(name)) return 'a name that is not UTF-8';
  if (facts === undefined) return 'a link that leads nowhere';
  if (facts.kind === 'folder') return 'a folder: keys have no slashes';
  if (facts.kind === 'link') return 'a symbolic link: --follow-symlinks takes what it points at';
  if (facts.kind === 'other') return 'no plain file';
  return keyFault(name);
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
    return reason === undefined ? [] : [{ name: key, reason }];
  });
  const bad = new Set(skipped.map(({ name }) => name));
  const files = wanted.filter(({ key }) => !bad.has(key)).map((item) => [item.key, item] as const);
  return { files: new Map(files), skipped };
}
