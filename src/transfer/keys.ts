import { checkKey } from '../contract/index.ts';
import { InvalidError } from '../errors.ts';
import { toFinding } from '../validator/finding.ts';

/** Whether a text can be the key of a file ("File (listing item)"). */
export function isKey(text: string): boolean {
  return checkKey(text).length === 0;
}

/** Refuses an invalid key: in a URL, `..` would address something else. Throws `InvalidError`. */
export function refuseBadKey(key: string): void {
  const findings = checkKey(key).map((found) => toFinding(found));
  const [first] = findings;
  if (first) throw new InvalidError(first.message, { findings });
}
