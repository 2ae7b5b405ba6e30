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

/** A claim that a dated change removed ("Versioning: contract changes"). */
interface Replaced {
  readonly claim: string;
  readonly date: string;
  readonly replacement: string;
}

/** A claim that a dated change added. */
interface Added {
  readonly claim: string;
  readonly date: string;
  /** Every launch has it since then, so that its absence indicates an older contract. */
  readonly always?: true;
}

const REPLACED: readonly Replaced[] = [
  { claim: 'grade_passback', date: '2026-09-21', replacement: 'grade.submit' },
  { claim: 'user.role', date: '2026-08-25', replacement: 'user.groups with user.member' },
  { claim: 'resource_link_id', date: '2026-08-25', replacement: 'resource_link' },
  { claim: 'organization.id', date: '2026-08-25', replacement: 'organization.deployment' },
];

const PARAMS_DATE = '2026-09-02';

const ADDED: readonly Added[] = [
  { claim: 'api.expires', date: '2026-10-12', always: true },
  { claim: 'api.idle', date: '2026-10-12', always: true },
  { claim: 'version', date: '2026-10-12', always: true },
  { claim: 'files', date: '2026-10-05', always: true },
  { claim: 'grade.submit', date: '2026-09-21', always: true },
  { claim: 'user.groups', date: '2026-08-25', always: true },
  { claim: 'user.member', date: '2026-08-25' },
  { claim: 'context', date: '2026-08-25' },
  { claim: 'location.extid', date: '2026-08-25' },
  { claim: 'resource_link', date: '2026-08-25' },
  { claim: 'organization.deployment', date: '2026-08-25' },
];

/** Claims whose absence is reported as an error of the launch's shape. */
const CHECKED_BY_SHAPE = ['grade.submit', 'user.groups'];

/** The claim that replaced one of an older contract, and when; undefined for any other name. */
export function replacedClaim(claim: string): Replaced | undefined {
  return REPLACED.find((each) => each.claim === claim);
}

/** Whether the contract with a label has a claim yet; the newest by default. */
export function isInForce(claim: string, contract: string = CONTRACT_VERSION): boolean {
  const added = ADDED.find((each) => each.claim === claim);
  return added === undefined || added.date <= contract;
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
      .filter(({ claim }) => !CHECKED_BY_SHAPE.includes(claim))
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

function replacedClaims(claims: Claims): Replaced[] {
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
function missingClaims(claims: Claims, kind: LaunchKind): Added[] {
  if (kind === 'provision_request') return [];
  return ADDED.filter(({ claim, always }) => always && claimAt(claims, claim) === undefined);
}

const LAUNCH_ID_DATE = '2026-09-21';

function checkLaunchId(claims: Claims, contract: string): Violation[] {
  if (claims.launch_id === undefined || contract < LAUNCH_ID_DATE) return [];
  return [violation('launch.launch_id', 'launch_id')];
}

function changeOf(date: string): string {
  return CONTRACT_CHANGES.find((each) => each.date === date)?.changes.join('; ') ?? '';
}
