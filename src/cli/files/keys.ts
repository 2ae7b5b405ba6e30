import { UsageError } from '../../errors.ts';
import { refuseBadKey } from '../../transfer/file-set.ts';
import { rowAndRest } from '../arguments/rows.ts';

/** The row and the keys in the arguments, each key once; no keys with `--all`. */
export function rowAndKeys(
  options: { readonly url?: string; readonly all?: boolean },
  args: readonly (string | undefined)[],
): { readonly row: string | undefined; readonly keys: readonly string[] } {
  const [row, ...named] = rowAndRest(options, args);
  const keys = [...new Set(named.filter((key) => key !== undefined))];
  const { all } = options;
  if (all && keys.length > 0) throw new UsageError('keys and --all cannot be used together');
  if (!all && keys.length === 0) throw new UsageError('no files given', 'pass file keys, or --all');
  keys.forEach(refuseBadKey);
  return { row, keys };
}
