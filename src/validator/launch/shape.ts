import {
  claimAt,
  isHeaderText,
  isObject,
  jsonTypeOf,
  type Launch,
  type LaunchKind,
  namesOf,
  PARENT_ROWS,
  ROW_KINDS,
  ROW_NAMES,
  violation,
  type Violation,
} from '../../contract/index.ts';
import { isInForce } from './dated.ts';

/** The types of claims, as in messages, and their tests. */
const SHAPES = {
  text: ['a string', isText],
  textOrNull: ['a string or null', (value) => value === null || typeof value === 'string'],
  address: ['a URL', isText],
  addressOrNull: ['a URL or null', (value) => value === null || isText(value)],
  names: ['a list of names', isListOfNames],
  rows: ['an object of row URLs', isObject],
} satisfies Record<string, readonly [string, (value: unknown) => boolean]>;

interface Expected {
  readonly claim: string;
  readonly shape: keyof typeof SHAPES;
  /** What needs the claim. Absent if lectern does not use it. */
  readonly purpose?: string;
  /** Whether the claim is optional. */
  readonly optional?: true;
}

const TOKEN: Expected = { claim: 'api.token', shape: 'text', purpose: 'calls to the service' };

const LISTED: readonly Expected[] = [
  { claim: 'iss', shape: 'text' },
  { claim: 'context', shape: 'text' },
];

const PERSON: readonly Expected[] = [
  { claim: 'user.member', shape: 'text', purpose: 'grading another member' },
  { claim: 'user.groups', shape: 'names', purpose: 'telling staff from students' },
  { claim: 'location.id', shape: 'text' },
  { claim: 'location.extid', shape: 'textOrNull', optional: true },
  { claim: 'user.given_name', shape: 'textOrNull', optional: true },
  { claim: 'user.family_name', shape: 'textOrNull', optional: true },
  { claim: 'user.full_name', shape: 'textOrNull', optional: true },
  { claim: 'user.email', shape: 'textOrNull', optional: true },
];

/**
 * Checks that the claims exist and have the types of "Launch claims": an error if a command needs
 * the claim, a warning if lectern does not use it.
 */
export function checkLaunchShape(launch: Launch, kind: LaunchKind, contract?: string): Violation[] {
  const expected = kind === 'launch' ? launchClaims(launch, contract) : requestClaims(launch);
  return [
    ...expected.flatMap((each) => checkClaim(launch, each)),
    ...checkToken(launch.token),
    ...checkRowNames(launch),
  ];
}

function launchClaims(launch: Launch, contract: string | undefined): Expected[] {
  const expected = [TOKEN, ...rowClaims(launch, 'storage', ROW_KINDS)];
  // A missing `files` claim, or grade_passback instead of `grade`, is reported with the dated
  // changes.
  if (launch.claims.files !== undefined) {
    for (const claim of rowClaims(launch, 'files', ROW_KINDS)) expected.push(claim);
  }
  const [old, grade] = ['grade_passback', 'grade.submit'].map((it) => claimAt(launch.claims, it));
  const isOld = old !== undefined && grade === undefined;
  if (!isOld && isInForce('grade.submit', contract)) {
    expected.push({ claim: 'grade.submit', shape: 'addressOrNull', purpose: 'grade submission' });
  }
  return [...expected, ...PERSON, ...LISTED];
}

function requestClaims(launch: Launch): Expected[] {
  const levels = namesOf(launch.claims.provision).filter(isLevel);
  const asked = levels.length === 0 ? ['context'] : levels;
  const parents = PARENT_ROWS.filter(
    (row) => claimAt(launch.claims, `storage.${row}`) !== undefined,
  );
  return [
    TOKEN,
    ...asked.map((level): Expected => ({
      claim: `provision.${level}`,
      shape: 'address',
      purpose: 'the finish call',
    })),
    ...(parents.length === 0 ? [] : rowClaims(launch, 'storage', parents)),
    ...LISTED,
  ];
}

function isLevel(name: string): boolean {
  return name === 'context' || name === 'location';
}

/** The addresses of rows or file sets: the whole claim if it is not an object, otherwise each entry. */
function rowClaims(
  launch: Launch,
  claim: 'storage' | 'files',
  rows: readonly string[],
): Expected[] {
  const purpose = claim === 'storage' ? 'calls to the row' : 'calls to the file set';
  if (!isObject(launch.claims[claim])) return [{ claim, shape: 'rows', purpose }];
  return rows.map((row) => ({ claim: `${claim}.${row}`, shape: 'address', purpose }));
}

function checkClaim(launch: Launch, { claim, shape, purpose, optional }: Expected): Violation[] {
  const value = claimAt(launch.claims, claim);
  const [expected, fits] = SHAPES[shape];
  if (value !== undefined && fits(value)) return [];
  if (value === undefined) {
    if (optional) return [];
    return [
      purpose === undefined
        ? violation('launch.claim_absent', claim, { claim })
        : violation('launch.claim_missing', claim, { claim, purpose }),
    ];
  }
  const code = purpose === undefined ? 'launch.claim_unexpected' : 'launch.claim_malformed';
  const found = value === '' ? 'an empty string' : jsonTypeOf(value);
  return [violation(code, claim, { claim, expected, found })];
}

/** A token is sent in a header, which takes only visible ASCII. */
function checkToken(token: string | undefined): Violation[] {
  if (token === undefined || isHeaderText(token)) return [];
  return [violation('launch.token_unusable', 'api.token')];
}

/** Names under `storage` and `files` that are not rows: most likely a typing error. */
function checkRowNames({ claims }: Launch): Violation[] {
  const rows: readonly string[] = ROW_NAMES;
  return ['storage', 'files'].flatMap((outer) =>
    namesOf(claims[outer])
      .filter((name) => !rows.includes(name))
      .map((name) => `${outer}.${name}`)
      .map((claim) => violation('launch.row_unknown', claim, { claim })),
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isListOfNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
