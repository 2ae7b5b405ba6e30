import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { InvalidError } from '../../errors.ts';
import { isMangled } from '../input/missing-file.ts';
import type { GlobalOptions, Runtime } from '../runtime.ts';
import type { Disk } from '../../ports.ts';

/** Where downloads go: standard output, one file, or a folder under the files' keys. */
export type Destination =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly folder: string };

export interface DestinationFlags extends GlobalOptions {
  readonly to?: string;
  readonly output?: string;
  readonly overwrite?: boolean;
}

/**
 * Reads the flags. A single file that nothing says where to put goes into a pipe where there is
 * one, as with every other command that prints what it reads; else into the current folder.
 */
export function destinationOf(
  runtime: Runtime,
  { to, output, json }: DestinationFlags,
  isSingle: boolean,
): Destination {
  if (to !== undefined && output !== undefined) {
    throw new UsageError('--to and --output exclude each other');
  }
  if (to !== undefined) return { kind: 'folder', folder: to };
  if (output === undefined) {
    const isPiped = isSingle && !runtime.stdout.isTerminal && !json;
    return isPiped ? { kind: 'stdout' } : { kind: 'folder', folder: '.' };
  }
  if (!isSingle)
    throw new UsageError('--output takes one file', 'for several give a folder: --to DIR');
  if (output !== '-') return { kind: 'file', path: output };
  if (!json) return { kind: 'stdout' };
  throw new UsageError('--json and the file cannot both be on standard output');
}

/** The path of a file, for a key that has been checked: no key has a slash, or is `..`. */
export function pathFor(
  destination: Exclude<Destination, { kind: 'stdout' }>,
  key: string,
): string {
  return destination.kind === 'file' ? destination.path : join(destination.folder, key);
}

/** Refuses, before anything is read, what cannot be written where it is to go. */
export async function refusePaths(
  runtime: Runtime,
  paths: readonly string[],
  overwrite: boolean,
): Promise<void> {
  await refuseNames(runtime, paths);
  const disk = await runtime.disk();
  for (const path of paths) await refuseTaken(disk, path, overwrite);
}

/**
 * Refuses names that the system keeps for devices, that are one and the same on this disk, or that
 * came mangled: a file would get another name than the one that was typed.
 */
export async function refuseNames(runtime: Runtime, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const fault = isMangled(path)
      ? 'its name is not UTF-8'
      : nameFault(basename(path), runtime.platform);
    if (fault !== undefined) {
      throw new InvalidError(`${path} cannot be written: ${fault}`, {
        code: 'local.name',
        hint: 'give it another name: --output FILE',
      });
    }
  }
  await refuseSharedFile(await runtime.disk(), paths);
}

/** Refuses a path where something stands that must stay. */
export async function refuseTaken(disk: Disk, path: string, overwrite: boolean): Promise<void> {
  const there = await disk.facts(path);
  if (there === undefined) return;
  const isReplaceable = there.kind === 'file' || there.kind === 'link';
  if (isReplaceable && overwrite) return;
  throw new InvalidError(
    isReplaceable ? `${path} exists` : `${path} exists, and is no plain file`,
    {
      code: 'local.exists',
      hint: isReplaceable ? 'add --overwrite to replace it' : 'give another name: --output FILE',
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
    hint: 'download them one by one, each under a name of its own: --output FILE',
  });
}

/** Those paths, of all, that another one equals but for its case. */
export function pathsThatDifferByCase(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  const folded = (path: string): string => path.toLowerCase();
  for (const path of paths) counts.set(folded(path), (counts.get(folded(path)) ?? 0) + 1);
  return paths.filter((path) => (counts.get(folded(path)) ?? 0) > 1);
}
