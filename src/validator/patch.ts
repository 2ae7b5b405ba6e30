import {
  applyPatch,
  checkOperations,
  checkPatchBody,
  explainViolation,
  type Operation,
  refusal,
  type Violation,
  violation,
} from '../contract/index.ts';
import { compactJson, compactSize, type JsonObject } from '../json/index.ts';
import { checkOddities, type Payload, type ReadBody, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';
import { checkIsObject, checkSize, type RowOptions } from './row.ts';

export interface PatchOptions extends RowOptions {
  /** The row as it reads now: the patch is tried on it. */
  readonly against?: Payload | undefined;
}

/** What a patch would make of a row. */
export interface Simulation {
  readonly findings: Finding[];
  /** Compact bytes of the row afterwards; undefined where the patch cannot be applied. */
  readonly size: number | undefined;
  /** The row afterwards, as compact JSON. */
  readonly row: string | undefined;
}

/**
 * Checks the body of a PATCH ("PATCH rules"): the wrapper, every operation, every pointer. With
 * `against` the patch is tried on that row, and the size afterwards is checked too.
 *
 * @example
 * expect(validatePatch('{"patch":[{"op":"remove","path":"/a"}]}')).toEqual([]);
 */
export function validatePatch(payload: Payload, options: PatchOptions = {}): Finding[] {
  return simulatePatch(payload, options).findings;
}

/** The same, with the row that the patch would leave behind and its size. */
export function simulatePatch(payload: Payload, options: PatchOptions = {}): Simulation {
  const body = readBody(payload);
  if ('violation' in body) return { ...UNCHANGED, findings: toFindings([body.violation]) };
  const { operations, violations } = checkBody(body);
  const tried = refusal(violations) ? undefined : tryOn(operations, options);
  const found = [...violations, ...(tried?.violations ?? []), ...checkOddities(body)];
  const row = tried?.row;
  return { findings: toFindings(found, body.text), row, size: tried?.size };
}

const UNCHANGED = { size: undefined, row: undefined };

/** A list without its wrapper is refused; its operations are looked at all the same. */
function checkBody({ value }: ReadBody): ReturnType<typeof checkPatchBody> {
  const checked = checkPatchBody(value);
  if (!Array.isArray(value)) return checked;
  return {
    operations: [],
    violations: [...checked.violations, ...checkOperations(value, '').violations],
  };
}

interface Tried {
  readonly violations: Violation[];
  readonly row?: string;
  readonly size?: number;
}

function tryOn(
  operations: readonly Operation[],
  { against, ...options }: PatchOptions,
): Tried | undefined {
  if (against === undefined) return undefined;
  const before = readRow(against);
  if ('violation' in before) return { violations: [before.violation] };
  const outcome = applyPatch(before.row, operations);
  if ('violation' in outcome) return { violations: [outcome.violation] };
  const row = compactJson(outcome.row);
  const size = compactSize(row);
  return { violations: checkSize(row, size, options), row, size };
}

function readRow(payload: Payload): { row: JsonObject } | { violation: Violation } {
  const body = readBody(payload);
  const wrong = 'violation' in body ? body.violation : checkIsObject(body.value)[0];
  if (wrong === undefined) return { row: (body as ReadBody).value as JsonObject };
  const reason = explainViolation(wrong).message.replace(/^malformed body: /, '');
  return { violation: violation('patch.against_unreadable', '', { reason }) };
}
