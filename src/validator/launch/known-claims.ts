import { distance } from 'fastest-levenshtein';
import { isStaff, type Launch, type LaunchKind, ROW_NAMES } from '../../contract/index.ts';
import { replacedClaim } from './dated.ts';
import { guessInWords, guessLifetime, lifetimeRule } from './lifetime.ts';
import { upgradeOffered } from './version.ts';

/** The groups of claims, in the order in which they are shown. */
export const CLAIM_GROUPS = [
  'who',
  'where',
  'URLs and token',
  'lifetime',
  'version',
  'other',
] as const;
export type ClaimGroup = (typeof CLAIM_GROUPS)[number];

/** Values that sentences about claims depend on. */
export interface ExplainContext {
  readonly launch: Launch;
  readonly kind: LaunchKind;
  readonly now: number | undefined;
}

interface KnownClaim {
  readonly group: ClaimGroup;
  readonly meaning: (at: ExplainContext) => string;
}

/** A claim whose sentence is always the same. */
function fixed(group: ClaimGroup, sentence: string): KnownClaim {
  return { group, meaning: () => sentence };
}

const ROW_WORDS = {
  context: 'of the course, shared',
  location: 'of the placement, shared',
  member: 'of this user in this course',
  member_location: 'of this user in this placement',
  parent_context: 'of the previous course',
  parent_location: "of the previous course's placement",
} as const;

/** "Launch claims referred to in this interface", each with a sentence. */
const KNOWN: ReadonlyMap<string, KnownClaim> = new Map<string, KnownClaim>([
  [
    'user.member',
    fixed('who', "the user's membership in the course; the member segment of grade URLs"),
  ],
  ['user.groups', { group: 'who', meaning: explainGroups }],
  ['user.given_name', fixed('who', 'set for staff only')],
  ['user.family_name', fixed('who', 'set for staff only')],
  ['user.full_name', fixed('who', 'set for staff only')],
  ['user.email', fixed('who', 'set for staff only')],

  ['iss', fixed('where', "the service's own base URL, never the LMS")],
  ['context', fixed('where', 'the ID of the course')],
  ['course', fixed('where', 'display text of the course')],
  ['location.id', fixed('where', "the service's ID of the placement")],
  ['location.extid', fixed('where', "the tool's own ID of the destination")],
  ['resource_link', fixed('where', 'the link in the LMS that was used')],
  ['organization.deployment', fixed('where', "the tool's deployment at the school")],

  ['api.token', { group: 'URLs and token', meaning: explainToken }],
  ...ROW_NAMES.flatMap((row): [string, KnownClaim][] => [
    [`storage.${row}`, fixed('URLs and token', `the JSON row ${ROW_WORDS[row]}`)],
    [`files.${row}`, fixed('URLs and token', `the files beside the row ${ROW_WORDS[row]}`)],
  ]),
  ['grade.submit', { group: 'URLs and token', meaning: explainGrade }],
  ['provision.context', fixed('URLs and token', 'PUT to it when the course is set up')],
  ['provision.location', fixed('URLs and token', 'PUT to it when the placement is set up')],

  ['api.expires', { group: 'lifetime', meaning: explainLifetime('expires') }],
  ['api.idle', { group: 'lifetime', meaning: explainLifetime('idle') }],

  ['version', { group: 'version', meaning: explainVersion }],

  ['launch_id', fixed('other', 'still sent, but not used by any endpoint')],
]);

/** Registered claims of signed tokens (RFC 7519), which the contract does not mention. */
const REGISTERED: ReadonlyMap<string, string> = new Map([
  ['sub', 'the subject of the token'],
  ['aud', 'the audience of the token'],
  ['exp', 'expiry of the token that contained the claims, in seconds since the epoch'],
  ['nbf', 'start of validity of the token that contained the claims'],
  ['iat', 'issue time of the token that contained the claims, in seconds since the epoch'],
  ['jti', 'ID of the token that contained the claims'],
  ['nonce', 'a value used once'],
]);

export const CLAIM_OBJECTS = [
  'api',
  'storage',
  'files',
  'grade',
  'user',
  'location',
  'organization',
  'provision',
];

/** The group of a claim, its sentence, and whether the contract names it. */
export function explainClaim(
  path: string,
  at: ExplainContext,
): { group: ClaimGroup; meaning: string; known: boolean } {
  const known = KNOWN.get(path);
  if (known) return { group: known.group, meaning: known.meaning(at), known: true };
  const old = replacedClaim(path);
  if (old) {
    const meaning = `of an older contract; replaced on ${old.date} by ${old.replacement}`;
    return { group: 'other', meaning, known: true };
  }
  const registered = REGISTERED.get(path);
  const meaning = registered
    ? `not in the contract; in a signed token: ${registered}`
    : ['not in the contract', ...suggestion(path)].join('; ');
  return { group: 'other', meaning, known: false };
}

/** The known claim that a misspelt one most likely means. */
function suggestion(path: string): string[] {
  const ranked = [...KNOWN.keys(), ...CLAIM_OBJECTS]
    .map((claim) => ({ claim, far: distance(path.toLowerCase(), claim.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  if (best === undefined || best.far > Math.max(1, Math.min(3, path.length >> 2))) return [];
  return [`did you mean ${best.claim}?`];
}

function explainGroups({ launch }: ExplainContext): string {
  const staff = isStaff(launch);
  if (staff === undefined) return 'not readable: staff and students cannot be distinguished';
  return staff
    ? 'course staff: can write the shared rows, and read and write the rows of any member'
    : 'a student: can read the shared rows, and write only their own rows';
}

function explainToken({ kind }: ExplainContext): string {
  return `the bearer token of every call; it ${lifetimeRule(kind)}`;
}

function explainGrade({ launch }: ExplainContext): string {
  return launch.gradeSubmit === null
    ? 'null: no gradebook column to post to'
    : 'where scores are posted; each POST is a new attempt and is published again';
}

function explainLifetime(claim: 'expires' | 'idle'): KnownClaim['meaning'] {
  return ({ launch, now }) => {
    const guess = guessLifetime(launch[claim]);
    const reading = guess === undefined ? 'not readable' : `possibly ${guessInWords(guess, now)}`;
    return `lifetime information; the contract does not define its format: ${reading}`;
  };
}

function explainVersion({ launch }: ExplainContext): string {
  const offer = upgradeOffered(launch.claims);
  const version = 'the version of the tool that the course runs';
  return offer === undefined ? version : `${version}; an upgrade is offered: ${offer}`;
}
