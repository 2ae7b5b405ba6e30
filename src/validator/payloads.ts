import { checkGradeObject, checkLocations } from '../contract/index.ts';
import { checkObjectBy, findingsIn, type Payload } from './body.ts';
import type { Finding } from './finding.ts';

/**
 * Checks the body of a grade submission ("Grade submission: request body") with the service's own
 * messages.
 *
 * @example
 * expect(validateGrade('{"score":0.85,"max_score":50}')).toEqual([]);
 */
export function validateGrade(payload: Payload): Finding[] {
  return findingsIn(payload, (value) => checkObjectBy(checkGradeObject, value, '{ "score": … }'));
}

/**
 * Checks a tool's locations answer. Its exact shape is not shown, so only what the contract states
 * is checked: one of three keys ("Errors": other rules, 4), a message of plain text, and
 * the nesting of groups ("Limits").
 *
 * @example
 * expect(validateLocations(await response.text())).toEqual([]);
 */
export function validateLocations(payload: Payload): Finding[] {
  return findingsIn(payload, checkLocations);
}
