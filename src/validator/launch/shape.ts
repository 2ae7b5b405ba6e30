import {
  claimAt,
  type Claims,
  isHeaderText,
  isObject,
  jsonTypeOf,
  type Launch,
  type LaunchKind,
  namesOf,
  PARENT_ROWS,
  PLACEHOLDER,
  ROW_KINDS,
  ROW_NAMES,
  violation,
  type Violation,
} from '../../contract/index.ts';
import { CLAIM_TABLE, type ClaimRow, type ClaimShape } from './claims-table.ts';
import { isInForce } from './dated.ts';

/** The types of claims, as in messages, and their tests. */
const SHAPES = {
  text: ['a string', isText],
  textOrNull: ['a string or null', (value) => value === null || typeof value === 'string'],
  address: ['a URL', isText],
  addressOrNull: ['a URL or null', (value) => value === null || isText(value)],
  names: ['a list of names', isListOfNames],
  rows: ['an object of row URLs', isObject],
} satisfies Record<ClaimShape, readonly [string, (value: unknown) => boolean]>;

type Expected = Pick<ClaimRow, 'path' | 'neededFor' | 'optional'> & { readonly shape: ClaimShape };

/** The claims of the table that are expected. */
const [TOKEN, ...EXPECTED] = CLAIM_TABLE.filter(
  (row): row is ClaimRow & Expected => row.shape !== undefined,
) as [Expected, ...(ClaimRow & Expected)[]];

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

function launchClaims({ claims }: Launch, contract: string | undefined): Expected[] {
  // A missing `files` claim, or grade_passback instead of `grade`, is reported with the dated
  // changes.
  const sets = claims.files === undefined ? [] : rowClaims(claims, 'files', ROW_KINDS);
  const [old, grade] = ['grade_passback', 'grade.submit'].map((it) => claimAt(claims, it));
  const isOld = old !== undefined && grade === undefined;
  const isExpected = !isOld && isInForce('grade.submit', contract);
  const expected = EXPECTED.filter(({ path }) => path !== 'grade.submit' || isExpected);
  return [TOKEN, ...rowClaims(claims, 'storage', ROW_KINDS), ...sets, ...expected];
}

function requestClaims({ claims }: Launch): Expected[] {
  const levels = namesOf(claims.provision).filter(isLevel);
  const asked = levels.length === 0 ? ['context'] : levels;
  const parents = PARENT_ROWS.filter((row) => claimAt(claims, `storage.${row}`) !== undefined);
  return [
    TOKEN,
    ...asked.map((level): Expected => ({
      path: `provision.${level}`,
      shape: 'address',
      neededFor: 'the finish call',
    })),
    ...(parents.length === 0 ? [] : rowClaims(claims, 'storage', parents)),
    ...EXPECTED.filter(({ ofRequests }) => ofRequests),
  ];
}

function isLevel(name: string): boolean {
  return name === 'context' || name === 'location';
}

/** The addresses of rows or file sets: the whole claim if it is not an object, otherwise each entry. */
function rowClaims(claims: Claims, path: 'storage' | 'files', rows: readonly string[]): Expected[] {
  const neededFor = path === 'storage' ? 'calls to the row' : 'calls to the file set';
  if (!isObject(claims[path])) return [{ path, shape: 'rows', neededFor }];
  return rows.map((row) => ({ path: `${path}.${row}`, shape: 'address', neededFor }));
}

function checkClaim(
  launch: Launch,
  { path: claim, shape, neededFor: purpose, optional }: Expected,
): Violation[] {
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
  if (token === undefined) return [];
  const isHidden = PLACEHOLDER.test(token);
  if (isHeaderText(token) && !isHidden) return [];
  return [violation('launch.token_unusable', 'api.token', { hidden: isHidden ? 1 : 0 })];
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
