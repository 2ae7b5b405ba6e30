import { join } from 'node:path';
import { UsageError } from '../../errors.ts';
import type { GlobalOptions, Context } from '../runtime.ts';

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
export function destinationOf(context: Context<DestinationFlags>, isSingle: boolean): Destination {
  const { to, output, json } = context.options;
  if (to !== undefined && output !== undefined) {
    throw new UsageError('--to and --output exclude each other');
  }
  if (to !== undefined) return { kind: 'folder', folder: to };
  if (output === undefined) {
    const isPiped = isSingle && !context.stdout.isTerminal && !json;
    return isPiped ? { kind: 'stdout' } : { kind: 'folder', folder: '.' };
  }
  if (!isSingle)
    throw new UsageError('--output takes a single file', 'use --to DIR for several files');
  if (output !== '-') return { kind: 'file', path: output };
  if (!json) return { kind: 'stdout' };
  throw new UsageError('--json and the file cannot both be written to standard output');
}

/** The path of a file, for a key that has been checked: no key has a slash, or is `..`. */
export function pathFor(
  destination: Exclude<Destination, { kind: 'stdout' }>,
  key: string,
): string {
  return destination.kind === 'file' ? destination.path : join(destination.folder, key);
}
