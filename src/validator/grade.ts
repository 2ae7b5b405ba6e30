import { checkGradeObject } from '../contract/index.ts';
import type { JsonObject } from '../json/index.ts';
import { checkOddities, type Payload, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';
import { checkIsObject } from './row.ts';

/**
 * Checks the body of a grade submission ("Grade submission: request body") with the service's own
 * messages.
 *
 * @example
 * expect(validateGrade('{"score":0.85,"max_score":50}')).toEqual([]);
 */
export function validateGrade(payload: Payload): Finding[] {
  const body = readBody(payload);
  if ('violation' in body) return toFindings([body.violation]);
  const wrong = checkIsObject(body.value, '{ "score": … }');
  const found = wrong.length > 0 ? wrong : checkGradeObject(body.value as JsonObject);
  return toFindings([...found, ...checkOddities(body)], body.text);
}
