import { basename, dirname } from 'node:path';
import { InvalidError } from '../errors.ts';
import type { Disk } from '../ports.ts';
import { isMangled } from './local-file.ts';

/** Refuses, before anything is read, what cannot be written where it is to go. */
export async function refusePaths(
  disk: Disk,
  paths: readonly string[],
  overwrite: boolean,
): Promise<void> {
  await refuseNames(disk, paths);
  for (const path of paths) await refuseTaken(disk, path, overwrite);
}

/**
 * Refuses names that the system keeps for devices, that are one and the same on this disk, or that
 * came mangled: a file would get another name than the one that was typed.
 */
export async function refuseNames(disk: Disk, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const fault = isMangled(path)
      ? 'its name is not UTF-8'
      : nameFault(basename(path), disk.platform);
    if (fault !== undefined) {
      throw new InvalidError(`${path} cannot be written: ${fault}`, {
        code: 'local.name',
        hint: 'give it another name',
      });
    }
  }
  await refuseSharedFile(disk, paths);
}

/** Refuses a path where something stands that must stay. */
export async function refuseTaken(disk: Disk, path: string, overwrite: boolean): Promise<void> {
  const there = await disk.pathInfo(path);
  if (there === undefined) return;
  const isReplaceable = there.kind === 'file' || there.kind === 'link';
  if (isReplaceable && overwrite) return;
  throw new InvalidError(
    isReplaceable ? `${path} exists` : `${path} exists, and is not a regular file`,
    {
      code: 'local.exists',
      hint: isReplaceable ? 'allow it to be replaced, or give another name' : 'give another name',
    },
  );
}

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Why a file cannot have a name on an operating system, if so. */
export function nameFault(name: string, platform: string): string | undefined {
  if (platform !== 'win32') return undefined;
  if (DEVICE.test(name)) return 'it is the name of a device here';
  return name.endsWith('.') ? 'a name cannot end in a dot here' : undefined;
}

async function refuseSharedFile(disk: Disk, paths: readonly string[]): Promise<void> {
  const twins = pathsThatDifferByCase(paths);
  const [first] = twins;
  if (first === undefined || !(await disk.ignoresCase(dirname(first)))) return;
  throw new InvalidError(`on this disk ${twins.join(' and ')} are one file`, {
    code: 'local.same_file',
    hint: 'download them one by one, each under a name of its own',
  });
}

/** Those paths, of all, that another one equals but for its case. */
export function pathsThatDifferByCase(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const folded = (path: string): string => path.toLowerCase();
  for (const path of paths) counts.set(folded(path), (counts.get(folded(path)) ?? 0) + 1);
  return paths.filter((path) => (counts.get(folded(path)) ?? 0) > 1);
}
