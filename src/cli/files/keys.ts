import { UsageError } from '../../errors.ts';
import { refuseBadKey } from '../../transfer/keys.ts';

/** The keys in the arguments, each once; none with `--all`. */
export function namedKeys(
  { all }: { readonly all?: boolean },
  named: readonly (string | undefined)[],
): string[] {
  const keys = [...new Set(named.filter((key) => key !== undefined))];
  if (all && keys.length > 0) throw new UsageError('keys and --all exclude each other');
  if (!all && keys.length === 0) throw new UsageError('no files given', 'pass file keys, or --all');
  keys.forEach(refuseBadKey);
  return keys;
}
