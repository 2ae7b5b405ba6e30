import { checkKey } from '../contract/index.ts';
import { type Finding, toFindings } from './finding.ts';

/**
 * Checks a file key ("Limits": 1 to 128 characters of letters, digits, `.`, `_`, `-`, the first a
 * letter or digit). The hint proposes a key near it.
 *
 * @example
 * expect(validateKey('report-1.pdf')).toEqual([]);
 */
export function validateKey(key: string): Finding[] {
  return toFindings(checkKey(key));
}
