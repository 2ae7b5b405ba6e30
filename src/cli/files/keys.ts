import { checkKey } from '../../contract/index.ts';
import { toFinding } from '../../validator/finding.ts';
import { UsageError } from '../errors.ts';
import { InvalidError } from '../../errors.ts';

/** Whether a text can be the key of a file. */
export function isKey(text: string): boolean {
  return checkKey(text).length === 0;
}

/**
 * Refuses what cannot be a key. It would be more than useless in an address: `..` would make it the
 * address of something else.
 */
export function refuseBadKey(key: string): void {
  const findings = checkKey(key).map((found) => toFinding(found));
  const [first] = findings;
  if (first) throw new InvalidError(first.message, { findings });
}

/** The keys that an argument list names, each once; or none, with `--all`. */
export function namedKeys(
  { all }: { readonly all?: boolean },
  named: readonly (string | undefined)[],
): string[] {
  const keys = [...new Set(named.filter((key) => key !== undefined))];
  if (all && keys.length > 0) throw new UsageError('keys and --all exclude each other');
  if (!all && keys.length === 0)
    throw new UsageError('which files?', 'name their keys, or give --all');
  keys.forEach(refuseBadKey);
  return keys;
}
