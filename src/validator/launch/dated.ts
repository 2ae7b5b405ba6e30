import {
  claimAt,
  type Claims,
  CONTRACT_CHANGES,
  CONTRACT_VERSION,
  isObject,
  type LaunchKind,
  violation,
  type Violation,
} from '../../contract/index.ts';
import { CLAIM_TABLE, claimRow } from './claims-table.ts';

/** The claims that a dated change removed ("Versioning: contract changes"). */
const REPLACED = CLAIM_TABLE.flatMap(
  ({ path: claim, until: date, replacedBy: replacement = '' }) =>
    date === undefined ? [] : [{ claim, date, replacement }],
);

const PARAMS_DATE = '2026-09-02';

/** The claims that a dated change added, the newest first. */
const ADDED = CLAIM_TABLE.flatMap(({ path: claim, since: date, always, neededFor }) =>
  date === undefined ? [] : [{ claim, date, always, neededFor }],
).sort((a, b) => b.date.localeCompare(a.date));

/** Whether the contract with a label has a claim yet; the newest by default. */
export function isInForce(claim: string, contract: string = CONTRACT_VERSION): boolean {
  const { since } = claimRow(claim) ?? {};
  return since === undefined || since <= contract;
}

/**
 * Compares the claims with the dated contracts: what belongs to an older one than `contract`, and
 * what is newer than it. Each finding has the change, its date and the replacement.
 */
export function checkDatedClaims(
  claims: Claims,
  kind: LaunchKind,
  contract: string = CONTRACT_VERSION,
): Violation[] {
  const outdated = replacedClaims(claims).filter(({ date }) => date <= contract);
  const missing = missingClaims(claims, kind).filter(({ date }) => date <= contract);
  const tooNew = ADDED.filter(
    ({ claim, date }) => date > contract && claimAt(claims, claim) !== undefined,
  );
  return [
    ...outdated.map(({ claim, date, replacement }) =>
      violation('launch.claim_outdated', claim, {
        claim,
        date,
        replacement,
        change: changeOf(date),
      }),
    ),
    ...missing
      // Its absence is an error of the launch's shape.
      .filter(({ neededFor }) => neededFor === undefined)
      .map(({ claim, date }) =>
        violation('launch.claim_predates', claim, { claim, date, change: changeOf(date) }),
      ),
    ...tooNew.map(({ claim, date }) =>
      violation('launch.claim_too_new', claim, { claim, date, contract, change: changeOf(date) }),
    ),
    ...checkLaunchId(claims, contract),
  ];
}

/** Label of the newest dated contract in which nothing about the claims is outdated. */
export function agreedContract(claims: Claims, kind: LaunchKind): string | null {
  const broken = [...replacedClaims(claims), ...missingClaims(claims, kind)]
    .map(({ date }) => date)
    .sort();
  const [earliest] = broken;
  if (earliest === undefined) return CONTRACT_VERSION;
  return CONTRACT_CHANGES.find(({ date }) => date < earliest)?.date ?? null;
}

function replacedClaims(claims: Claims): typeof REPLACED {
  const outdated = REPLACED.filter(({ claim }) => claimAt(claims, claim) !== undefined);
  const replacement = 'nothing: no claim has a per-location params object';
  return [
    ...outdated,
    ...paramsClaims(claims).map((claim) => ({ claim, date: PARAMS_DATE, replacement })),
  ];
}

/** "There is no per-location `params` object on any claim." */
function paramsClaims(claims: Claims): string[] {
  const inner = Object.keys(claims).filter(
    (name) => isObject(claims[name]) && claimAt(claims, `${name}.params`) !== undefined,
  );
  return [
    ...(Object.hasOwn(claims, 'params') ? ['params'] : []),
    ...inner.map((name) => `${name}.params`),
  ];
}

/** The full payload of a provision request is not shown, so missing claims do not date it. */
function missingClaims(claims: Claims, kind: LaunchKind): typeof ADDED {
  if (kind === 'provision_request') return [];
  const isAbsent = (claim: string): boolean => claimAt(claims, claim) === undefined;
  const counts = isAbsent('version') ? [true, 'undated'] : [true];
  return ADDED.filter(({ claim, always }) => counts.includes(always ?? false) && isAbsent(claim));
}

const LAUNCH_ID_DATE = '2026-09-21';

function checkLaunchId(claims: Claims, contract: string): Violation[] {
  if (claims.launch_id === undefined || contract < LAUNCH_ID_DATE) return [];
  return [violation('launch.launch_id', 'launch_id')];
}

function changeOf(date: string): string {
  return CONTRACT_CHANGES.find((each) => each.date === date)?.changes.join('; ') ?? '';
}
