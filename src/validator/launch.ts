import {
  claimAt,
  type Claims,
  claimsFromText,
  CODES,
  isStaff,
  kindOfLaunch,
  type Launch,
  type LaunchForm,
  type LaunchKind,
  namesOf,
  readLaunch,
  type Severity,
  STAFF_DATA,
  STAFF_GROUPS,
  truncate,
  violation,
  type Violation,
} from '../contract/index.ts';
import { closest } from '../contract/nearest.ts';
import { decodeUtf8, JsonSyntaxError, locateAll, parsePointer } from '../json/index.ts';
import { checkOddities, type Payload, readBody } from './body.ts';
import { type Finding, toFinding, toFindings } from './finding.ts';
import { agreedContract, checkDatedClaims } from './launch/dated.ts';
import { checkLifetime } from './launch/lifetime.ts';
import { type Permission, listPermissions } from './launch/permissions.ts';
import { checkLaunchShape } from './launch/shape.ts';
import { checkAddresses } from './launch/urls.ts';
import { checkVersion } from './launch/version.ts';

export type { LaunchKind } from '../contract/index.ts';
export type { Action, Permission } from './launch/permissions.ts';

export interface DecodedLaunch {
  readonly kind: LaunchKind;
  readonly form: LaunchForm;
  /** The header of the token that contained the claims, if any. */
  readonly header?: unknown;
  /** Signatures are never checked: the contract does not show how launches are signed. */
  readonly verified: false;
  /** Unchanged, with secrets; `maskClaims` hides them. */
  readonly claims: Claims;
  /** Errors first, then warnings, then notes. Paths are claim paths such as `api.token`. */
  readonly findings: readonly Finding[];
  readonly permissions: readonly Permission[];
  /** Label of the newest dated contract that the claims agree with; null if they are older than all. */
  readonly contract: string | null;
}

/** No readable launch in the text: the reason, also as a finding. */
export interface UndecodedLaunch {
  readonly fault: string;
  readonly findings: readonly Finding[];
}

export interface DecodeOptions {
  /** Milliseconds since the epoch; without it the age is not checked. */
  readonly now?: number | undefined;
  /** Label (YYYY-MM-DD) of the dated contract to check against; the newest by default. */
  readonly contract?: string | undefined;
  /** The source of the claims: what was lost in reading it is reported too. */
  readonly carrier?: Payload | undefined;
}

/**
 * Decodes a launch or provision request ("Launch claims") from whatever text carries it: its
 * claims, everything that is odd about them, and what it permits.
 *
 * @example
 * const decoded = decodeLaunch(text, { now: Date.now() });
 * if ('fault' in decoded) throw new Error(decoded.fault);
 * for (const { path, message } of decoded.findings) console.warn(path, message);
 */
export function decodeLaunch(
  carrier: Payload,
  options: Omit<DecodeOptions, 'carrier'> = {},
): DecodedLaunch | UndecodedLaunch {
  const read = claimsFromText(textOfLaunch(carrier));
  if ('fault' in read) return unreadable(read.fault);
  const { form, header } = read;
  const decoded = decodeClaims(read.claims, { ...options, carrier });
  return { form, ...(header !== undefined && { header }), ...decoded };
}

function unreadable(fault: string): UndecodedLaunch {
  return { fault, findings: [toFinding(violation('launch.unreadable', '', { fault }))] };
}

/** The same for claims that were read already, such as those of a saved launch. */
export function decodeClaims(
  claims: Claims,
  options: DecodeOptions = {},
): Omit<DecodedLaunch, 'form' | 'header'> {
  const launch = readLaunch(claims);
  const kind = kindOfLaunch(launch);
  return {
    kind,
    verified: false,
    claims,
    findings: toFindings(checkLaunch(launch, kind, options)),
    permissions: listPermissions(launch, kind),
    contract: agreedContract(claims, kind),
  };
}

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'note'];

function checkLaunch(launch: Launch, kind: LaunchKind, options: DecodeOptions): Violation[] {
  const violations = [
    ...(options.carrier === undefined ? [] : checkReading(options.carrier)),
    ...checkLaunchShape(launch, kind, options.contract),
    ...checkAddresses(launch, kind),
    ...checkPeople(launch, kind),
    ...checkLifetime(launch, kind, options.now),
    ...checkVersion(launch.claims),
    ...checkDatedClaims(launch.claims, kind, options.contract),
  ];
  return SEVERITIES.flatMap((severity) =>
    violations.filter(({ code }) => CODES[code].severity === severity),
  );
}

/** The text of a launch; a byte order mark is skipped, and invalid UTF-8 becomes U+FFFD. */
export function textOfLaunch(payload: Payload): string {
  return typeof payload === 'string' ? payload : new TextDecoder().decode(payload);
}

/**
 * The losses of reading the claims: bytes that are not valid UTF-8, all but the last of equal
 * names, digits.
 */
function checkReading(payload: Payload): Violation[] {
  const encoding = typeof payload === 'string' ? [] : checkEncoding(payload);
  const read = claimsFromText(textOfLaunch(payload));
  if ('fault' in read) return encoding;
  const several = read.hasSecond ? [violation('launch.several', '')] : [];
  const { text, at } = read.json;
  const body = readBody(text);
  if ('violation' in body) return [...encoding, ...several];
  const violations = checkOddities(body).map(({ code, path, params }) =>
    violation(code, claimPath(path, at), params),
  );
  return [...encoding, ...several, ...violations];
}

function checkEncoding(bytes: Uint8Array): Violation[] {
  try {
    decodeUtf8(bytes);
    return [];
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return [violation('launch.encoding', '', { line: error.line, column: error.column })];
  }
}

/**
 * The claim path of a pointer: `/data/api/token` is `api.token` if the claims are at `/data`; a
 * pointer outside the claims is unchanged.
 */
function claimPath(pointer: string, at: string): string {
  if (!pointer.startsWith(`${at}/`)) return pointer;
  return (parsePointer(pointer.slice(at.length)) ?? []).join('.');
}

/**
 * The findings of `decodeLaunch` alone, with line and column if the claims are JSON.
 *
 * @example
 * expect(validateLaunch(text).filter(({ severity }) => severity === 'error')).toEqual([]);
 */
export function validateLaunch(
  carrier: Payload,
  options: Omit<DecodeOptions, 'carrier'> = {},
): Finding[] {
  const text = textOfLaunch(carrier);
  const read = claimsFromText(text);
  if ('fault' in read) return [...unreadable(read.fault).findings];
  const { findings } = decodeClaims(read.claims, { ...options, carrier });
  // A launch within another text has no positions.
  const isWhole = read.form === 'json' && read.json.text === text.trim();
  return isWhole ? withPositions(findings, text, read.at ?? '') : [...findings];
}

/** Adds positions in JSON to findings, with claims nested under `at`, or with dotted names. */
function withPositions(findings: readonly Finding[], text: string, at: string): Finding[] {
  const json = strictText(text);
  if (!json.trimStart().startsWith('{')) return [...findings];
  const pointers = findings.map(({ path }) => [
    `${at}/${path.replaceAll('.', '/')}`,
    `${at}/${path}`,
    // A name outside the claims has a JSON pointer already.
    ...(path.startsWith('/') ? [path] : []),
  ]);
  const positions = locateAll(json, pointers.flat());
  return findings.map((finding, index) => {
    const nearest = pointers[index]?.find((pointer) => positions.has(pointer));
    return Object.assign({}, finding, nearest === undefined ? {} : positions.get(nearest));
  });
}

/** The text without the white space and byte order mark that only a lenient reader skips. */
function strictText(text: string): string {
  const start = text.length - text.trimStart().length;
  return text.slice(0, start).replace(/[^\r\n]/g, ' ') + text.trim();
}

/** Further claims with personal data, in launches that do not follow the contract. */
const OUTER_DATA = [...STAFF_DATA, 'name', 'nickname', 'picture', 'phone_number'];
const PERSONAL_NAME = /name|mail|phone|picture|avatar|birth/i;

/** Usual roles of people who are not staff; the contract names none. */
const PLAIN_GROUPS = ['student', 'learner'];

/** Checks `user.groups`, and that staff have personal data and others do not. */
function checkPeople(launch: Launch, kind: LaunchKind): Violation[] {
  if (kind === 'provision_request') return [];
  const staff = isStaff(launch);
  return [
    ...checkGroups(launch.groups ?? [], staff === true),
    ...(staff === true ? checkStaffData(launch) : []),
    ...(staff === false ? checkStudentData(launch) : []),
  ];
}

/** The contract names the groups of staff alone; one that is similar may be misspelt. */
function checkGroups(groups: readonly string[], staff: boolean): Violation[] {
  const known: readonly string[] = [...STAFF_GROUPS, ...PLAIN_GROUPS];
  const reading = staff ? 'staff because of another group' : 'a student';
  return groups
    .filter((group) => !known.includes(group))
    .map((group) => {
      const nearest = closest(group, STAFF_GROUPS);
      const params = { group: truncate(group), reading, ...(nearest && { nearest }) };
      return violation('launch.group_unknown', 'user.groups', params);
    });
}

function checkStaffData({ claims }: Launch): Violation[] {
  return STAFF_DATA.map((name) => `user.${name}`)
    .filter((claim) => !isFilled(claimAt(claims, claim)))
    .map((claim) => violation('launch.staff_data_missing', claim, { claim }));
}

function checkStudentData({ claims }: Launch): Violation[] {
  const ofUser = namesOf(claims.user).filter((name) => PERSONAL_NAME.test(name));
  const places = [...ofUser.map((name) => `user.${name}`), ...OUTER_DATA];
  return places
    .filter((claim) => isFilled(claimAt(claims, claim)))
    .map((claim) => violation('launch.student_personal_data', claim, { claim }));
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
