import { checkKey } from '../../contract/index.ts';
import { toFinding } from '../../validator/finding.ts';
import { InvalidError } from '../errors.ts';

/**
 * Refuses what cannot be a key. It would be more than useless in an address: `..` would make it the
 * address of something else.
 */
export function refuseBadKey(key: string): void {
  const findings = checkKey(key).map((found) => toFinding(found));
  const [first] = findings;
  if (first) throw new InvalidError(first.message, { findings });
}
