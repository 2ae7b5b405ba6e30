import { basename, dirname } from 'node:path';
import { InvalidError } from '../errors.ts';
import type { Disk } from '../ports.ts';
import { hasInvalidUtf8 } from './local-file.ts';

/** Refuses paths that cannot be written, before anything is downloaded. */
export async function refusePaths(
  disk: Disk,
  paths: readonly string[],
  overwrite: boolean,
): Promise<void> {
  await refuseNames(disk, paths);
  for (const path of paths) await refuseExisting(disk, path, overwrite);
}

/**
 * Refuses names that are reserved for devices, that are the same file on this disk, or that are not
 * UTF-8: the file would get another name.
 */
export async function refuseNames(disk: Disk, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const fault = hasInvalidUtf8(path)
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

export async function refuseExisting(disk: Disk, path: string, overwrite: boolean): Promise<void> {
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

/** Why a file name is invalid on an operating system; undefined if it is valid. */
export function nameFault(name: string, platform: string): string | undefined {
  if (platform !== 'win32') return undefined;
  if (isDeviceName(name)) return 'it is the name of a device';
  return name.endsWith('.') ? 'a name cannot end in a dot' : undefined;
}

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Whether Windows takes a file name for a device, such as `nul` or `con.json`. */
export function isDeviceName(name: string): boolean {
  return DEVICE.test(name);
}

async function refuseSharedFile(disk: Disk, paths: readonly string[]): Promise<void> {
  const clashing = pathsThatDifferByCase(paths);
  const [first] = clashing;
  if (first === undefined || !(await disk.ignoresCase(dirname(first)))) return;
  throw new InvalidError(`${clashing.join(' and ')} are the same file on this disk`, {
    code: 'local.same_file',
    hint: 'download them one by one, under different names',
  });
}

export function pathsThatDifferByCase(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const folded = (path: string): string => path.toLowerCase();
  for (const path of paths) counts.set(folded(path), (counts.get(folded(path)) ?? 0) + 1);
  return paths.filter((path) => (counts.get(folded(path)) ?? 0) > 1);
}
