import { join } from 'node:path';
import { InvalidError, UsageError } from '../../errors.ts';
import type { CommandDisk, Context } from '../runtime.ts';
import type { FilesDownloadOptions } from './flags.ts';
import { isStandardOutput } from '../shared/write-output.ts';

/** The destination of downloads: standard output, one file, or a folder with the keys as names. */
export type Destination =
  | { readonly kind: 'stdout' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'folder'; readonly folder: string };

type DestinationOptions = Pick<FilesDownloadOptions, 'to' | 'output' | 'overwrite'>;

/**
 * Reads the flags. By default a single file goes to standard output if that is a pipe, as in every
 * other command that prints what it reads; else into the current folder.
 */
export function destinationOf(
  context: Context<DestinationOptions>,
  isSingle: boolean,
): Destination {
  const { to, output, json } = context.options;
  if (to !== undefined && output !== undefined) {
    throw new UsageError('--to and --output exclude each other');
  }
  if (to === '-') {
    throw new UsageError('--to takes a folder', 'write a file to standard output with: -o -');
  }
  if (to !== undefined) return { kind: 'folder', folder: to };
  if (output === undefined) {
    const isPiped = isSingle && !context.stdout.isTerminal && !json;
    return isPiped ? { kind: 'stdout' } : { kind: 'folder', folder: '.' };
  }
  if (!isSingle)
    throw new UsageError('--output takes a single file', 'use --to DIR for several files');
  if (!isStandardOutput(output)) return { kind: 'file', path: output };
  if (!json) return { kind: 'stdout' };
  throw new UsageError('--json and the file cannot both be written to standard output');
}

/** Resolves links: the file behind a link is replaced, and the link stays. */
export async function withoutLinks(
  disk: CommandDisk,
  destination: Destination,
): Promise<Destination> {
  if (destination.kind !== 'file') return destination;
  const { kind, path } = await disk.outputPlace(destination.path);
  if (kind === 'file') return { kind, path };
  throw new InvalidError(`${path} is a pipe or a device, not a file`, {
    code: 'local.exists',
    hint: 'write to standard output: -o -',
  });
}

/** The path of a file, for a checked key, which contains no slash and is not `..`. */
export function pathFor(
  destination: Exclude<Destination, { kind: 'stdout' }>,
  key: string,
): string {
  return destination.kind === 'file' ? destination.path : join(destination.folder, key);
}
