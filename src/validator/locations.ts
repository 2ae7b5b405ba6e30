import { checkLocations, type JsonObject } from '../contract/index.ts';
import { checkOddities, type Payload, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';
import { checkIsObject } from './row.ts';

/**
 * Checks a tool's locations answer. Its exact shape is not shown, so only what the contract states
 * is held against it: one of three keys ("Errors": other rules, 4), a message of plain text, and
 * the nesting of groups ("Limits").
 *
 * @example
 * expect(validateLocations(await response.text())).toEqual([]);
 */
export function validateLocations(payload: Payload): Finding[] {
  const body = readBody(payload);
  if ('violation' in body) return toFindings([body.violation]);
  const wrong = checkIsObject(body.value);
  const found = wrong.length > 0 ? wrong : checkLocations(body.value as JsonObject);
  return toFindings([...found, ...checkOddities(body)], body.text);
}
