import { checkLocations } from '../contract/index.ts';
import { checkOddities, type Payload, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';

/**
 * Checks a tool's locations answer. Its exact shape is not shown, so only what the contract states
 * is checked: one of three keys ("Errors": other rules, 4), a message of plain text, and
 * the nesting of groups ("Limits").
 *
 * @example
 * expect(validateLocations(await response.text())).toEqual([]);
 */
export function validateLocations(payload: Payload): Finding[] {
  const body = readBody(payload);
  if ('violation' in body) return toFindings([body.violation]);
  return toFindings([...checkLocations(body.value), ...checkOddities(body)], body.text);
}
