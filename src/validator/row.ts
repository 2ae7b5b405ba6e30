import {
  type RowKind,
  type Violation,
  bodyText,
  checkRowSize,
  isCertain,
  isObject,
  isObjectRead,
  ROW_SIZE,
  truncate,
  violation,
} from '../contract/index.ts';
import {
  type JsonObject,
  type ParsedJson,
  type ParsedObject,
  compactJson,
  compactSize,
  isDeeperThan,
  nativeOrUndefined,
  utf8Length,
  withoutStrings,
} from '../json/index.ts';
import { DEEP_LEVELS, type Payload, checkObjectBy, checkOddities, readBody } from './body.ts';
import { type Finding, toFindings } from './finding.ts';

export interface RowOptions {
  /** The row's kind; without it, only violations of every kind are errors. */
  readonly kind?: RowKind | undefined;
  /** The fraction of the limit from which a row counts as nearly full; 0.8 by default. */
  readonly warnAt?: number | undefined;
}

const WARN_AT = 0.8;

/**
 * Checks the JSON object of a row's PUT ("Storage rows", "Limits"): strict JSON, an object, its
 * compact size against the limit of its kind, and values that are accepted but probably unintended.
 *
 * @example
 * expect(validateRow(JSON.stringify(state), { kind: 'member' })).toEqual([]);
 */
export function validateRow(payload: Payload, options: RowOptions = {}): Finding[] {
  const plain = plainObject(payload);
  if (plain === undefined) return readCheckedRow(payload, options).findings;
  return toFindings(checkSize(() => plain.members, plain.size, options));
}

/** The findings in a row, and the row, unless it is not a JSON object. */
export interface CheckedRow {
  readonly findings: Finding[];
  readonly row: ParsedObject | undefined;
}

/** The same as `validateRow`, with the parsed row. */
export function readCheckedRow(
  payload: Payload | ParsedJson,
  options: RowOptions = {},
): CheckedRow {
  const body = readBody(payload);
  if ('violation' in body) return { findings: toFindings([body.violation]), row: undefined };
  const violations = checkObjectBy(
    (object) => checkSize(() => membersOf(object), compactSize(body.text), options),
    body.value,
  );
  const findings = toFindings([...violations, ...checkOddities(body)], body.text);
  return { findings, row: isObjectRead(body) ? body : undefined };
}

/** Findings about the size of an object, `size` compact bytes; they name the largest key. */
export function checkSize(
  members: () => readonly Member[],
  size: number,
  options: RowOptions,
): Violation[] {
  const violations = sizeViolations(size, options);
  if (violations.length === 0) return [];
  const largest = largestMember(members());
  return violations.map((each) => violation(each.code, each.path, { ...each.params, ...largest }));
}

function sizeViolations(size: number, { kind, warnAt = WARN_AT }: RowOptions): Violation[] {
  const violations = kind === undefined ? checkUnknownKind(size) : checkRowSize(kind, size);
  if (violations.length > 0) return violations;
  const { bytes, label } = ROW_SIZE[kind ?? 'context'];
  if (size < bytes * warnAt) return [];
  const percent = Math.floor((size / bytes) * 100);
  return [violation('row.near_limit', '', { size, percent, label })];
}

/** For an unknown kind only the larger limit is certain; exceeding the smaller one is a warning. */
function checkUnknownKind(size: number): Violation[] {
  const shared = checkRowSize('context', size);
  const [own] = checkRowSize('member', size);
  if (own === undefined || shared.some(isCertain)) return shared;
  if (!isCertain(own)) return [own];
  return [violation('row.too_large_for_member', '', own.params), ...shared];
}

/** A member of an object; its text is compact JSON, name included. */
interface Member {
  readonly name: string;
  readonly text: string;
}

/** The members of an object for `checkSize`. */
export function membersOf(object: JsonObject): Member[] {
  return Array.from(object, ([name, value]) => ({
    name,
    text: `${JSON.stringify(name)}:${compactJson(value)}`,
  }));
}

/**
 * The largest member and its size, for messages; of equal ones the first by name, since the order
 * of members depends on how the row was read.
 */
function largestMember(members: readonly Member[]): { key: string; keySize: number } | undefined {
  let largest: { name: string; keySize: number } | undefined;
  for (const { name, text } of members) {
    const most = largest?.keySize ?? 0;
    if (text.length * MAX_BYTES_OF_A_UNIT < most) continue;
    const keySize = utf8Length(text);
    const isFirst = largest === undefined || name < largest.name;
    if (keySize > most || (keySize === most && isFirst)) largest = { name, keySize };
  }
  return largest && { key: truncate(largest.name), keySize: largest.keySize };
}

/** UTF-8 bytes of a UTF-16 unit. */
const MAX_BYTES_OF_A_UNIT = 3;

/** A payload without oddities. */
interface PlainObject {
  /** In bytes of compact JSON. */
  readonly size: number;
  readonly members: readonly Member[];
}

/**
 * Reads a payload with the engine's parser, in a tenth of the exact one's time. Undefined unless it
 * is an object without oddities: the engine's output equals the input, except for white space and
 * the spelling of strings, so no name occurs twice and no number lost a digit.
 */
export function plainObject(payload: Payload): PlainObject | undefined {
  const read = typeof payload === 'string' ? { text: payload } : bodyText(payload);
  if ('violation' in read) return undefined;
  const object = nativeOrUndefined(read.text);
  if (!isObject(object) || isDeeperThan(DEEP_LEVELS, object)) return undefined;
  const members = Object.keys(object).map((name) => ({
    name,
    text: `${JSON.stringify(name)}:${JSON.stringify(object[name])}`,
  }));
  const compact = `{${members.map(({ text }) => text).join(',')}}`;
  const isWritten = compact === read.text || withoutStrings(compact) === withoutStrings(read.text);
  return isWritten ? { size: utf8Length(compact), members } : undefined;
}
