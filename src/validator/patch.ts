import {
  applyPatch,
  checkOperations,
  checkPatchBody,
  explainViolation,
  PATCH_LEVELS,
  type PatchOperation,
  refusal,
  type Violation,
  violation,
} from '../contract/index.ts';
import {
  type JsonObject,
  type ParsedJson,
  type ParsedObject,
  reformat,
  utf8Length,
  writtenObject,
} from '../json/index.ts';
import { checkOddities, notAnObject, type Payload, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';
import { checkSize, membersOf, type RowOptions } from './row.ts';

export interface PatchOptions extends RowOptions {
  /** The current row: the patch is tried on it. */
  readonly against?: Payload | ParsedJson | undefined;
}

/** The result of a patch on a row. */
export interface Simulation {
  readonly findings: Finding[];
  /** Compact bytes of the row afterwards; undefined if the patch cannot be applied. */
  readonly size: number | undefined;
  /** The row afterwards; its text is compact JSON. */
  readonly row: ParsedObject | undefined;
}

/** A patch that was read and checked, to be tried on rows. */
export interface ReadPatch {
  /** The body; undefined if it is not JSON. */
  readonly body: ParsedJson | undefined;
  /** Complete only if the patch has no violations. */
  readonly operations: readonly PatchOperation[];
  readonly violations: readonly Violation[];
  /** How many lines the body has before its source; undefined if the source has no lines. */
  readonly linesAbove?: number | undefined;
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

/** The same, with the resulting row and its size. */
export function simulatePatch(payload: Payload, options: PatchOptions = {}): Simulation {
  return tryPatch(readPatch(payload), options);
}

/** Reads and checks a patch once, for any number of rows. */
export function readPatch(payload: Payload): ReadPatch {
  const body = readBody(payload, PATCH_LEVELS);
  if ('violation' in body) {
    return { body: undefined, operations: [], violations: [body.violation], linesAbove: 0 };
  }
  return { body, ...checkBody(body), linesAbove: 0 };
}

/** The same for a list of operations without the wrapper; without `hasLines` findings have no lines. */
export function readOperations(list: string, { hasLines }: { hasLines: boolean }): ReadPatch {
  const alone = readPatch(list);
  if (alone.body === undefined) return alone;
  return { ...readPatch(`{"patch":\n${list}\n}`), linesAbove: hasLines ? 1 : undefined };
}

/** The body of the PATCH that sends a valid patch, as compact JSON. */
export function patchBody({ body }: ReadPatch): string {
  return reformat(body?.text ?? '', 0);
}

/** Tries a patch on the row `against`; without a row the patch is only checked by itself. */
export function tryPatch(
  { body, operations, violations, linesAbove }: ReadPatch,
  options: PatchOptions = {},
): Simulation {
  const tried = refusal(violations) ? undefined : tryOn(operations, options);
  const oddities = body === undefined ? [] : checkOddities(body);
  const all = [...violations, ...(tried?.violations ?? []), ...oddities];
  const findings = toFindings(all, body?.text).map((each) => withoutLines(each, linesAbove));
  return { findings, row: tried?.row, size: tried?.size };
}

function withoutLines(finding: Finding, linesAbove: number | undefined): Finding {
  if (linesAbove === undefined) return { ...finding, line: null, column: null };
  return finding.line === null ? finding : { ...finding, line: finding.line - linesAbove };
}

/** A list without the wrapper is refused, but its operations are checked nevertheless. */
function checkBody({ value }: ParsedJson): ReturnType<typeof checkPatchBody> {
  const checked = checkPatchBody(value);
  if (!Array.isArray(value)) return checked;
  return {
    operations: [],
    violations: [...checked.violations, ...checkOperations(value, '').violations],
  };
}

interface Tried {
  readonly violations: Violation[];
  readonly row?: ParsedObject;
  readonly size?: number;
}

function tryOn(
  operations: readonly PatchOperation[],
  { against, ...options }: PatchOptions,
): Tried | undefined {
  if (against === undefined) return undefined;
  const before = rowToTry(against);
  if ('violation' in before) return { violations: [before.violation] };
  const outcome = applyPatch(before.row, operations);
  if ('violation' in outcome) return { violations: [outcome.violation] };
  const row = writtenObject(outcome.row);
  const size = utf8Length(row.text);
  return { violations: checkSize(() => membersOf(row.value), size, options), row, size };
}

function rowToTry(payload: Payload | ParsedJson): { row: JsonObject } | { violation: Violation } {
  const body = readBody(payload);
  if (!('violation' in body) && body.value instanceof Map) return { row: body.value };
  const wrong = 'violation' in body ? body.violation : notAnObject(body.value);
  const reason = explainViolation(wrong).message.replace(/^malformed body: /, '');
  return { violation: violation('patch.against_unreadable', '', { reason }) };
}
