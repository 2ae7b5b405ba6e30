import { distance } from 'fastest-levenshtein';
import { type Launch, isStaff, PARENT_ROWS, ROW_KINDS } from '../../contract/index.ts';
import type { LaunchKind } from './kind.ts';
import { guessInWords, guessLifetime, lifetimeRule } from './lifetime.ts';
import { upgradeOffered } from './version.ts';

/** What a claim tells, in the order in which it is shown. */
export const CLAIM_GROUPS = [
  'who',
  'where',
  'what may be called',
  'until when',
  'which version',
  'other',
] as const;
export type ClaimGroup = (typeof CLAIM_GROUPS)[number];

/** What a sentence about a claim may look at. */
export interface Explaining {
  readonly launch: Launch;
  readonly kind: LaunchKind;
  readonly now: number | undefined;
}

interface KnownClaim {
  readonly group: ClaimGroup;
  readonly meaning: (at: Explaining) => string;
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
    fixed('who', "the user's membership of the course; the member of grade addresses"),
  ],
  ['user.groups', { group: 'who', meaning: explainGroups }],
  ['user.given_name', fixed('who', 'filled for staff only')],
  ['user.family_name', fixed('who', 'filled for staff only')],
  ['user.full_name', fixed('who', 'filled for staff only')],
  ['user.email', fixed('who', 'filled for staff only')],

  ['iss', fixed('where', "the service's own base address, never the LMS")],
  ['context', fixed('where', 'the course: its ID alone')],
  ['course', fixed('where', 'the course, in words to display')],
  ['location.id', fixed('where', "the service's ID of the placement")],
  ['location.extid', fixed('where', "the tool's own ID of the destination")],
  ['resource_link', fixed('where', 'the link in the LMS that was followed')],
  ['organization.deployment', fixed('where', "the tool's deployment at the school")],

  ['api.token', { group: 'what may be called', meaning: explainToken }],
  ...[...ROW_KINDS, ...PARENT_ROWS].flatMap((row): [string, KnownClaim][] => [
    [`storage.${row}`, fixed('what may be called', `the JSON row ${ROW_WORDS[row]}`)],
    [`files.${row}`, fixed('what may be called', `the files beside the row ${ROW_WORDS[row]}`)],
  ]),
  ['grade.submit', { group: 'what may be called', meaning: explainGrade }],
  ['provision.context', fixed('what may be called', 'to be PUT to when the course is set up')],
  ['provision.location', fixed('what may be called', 'to be PUT to when the placement is set up')],

  ['api.expires', { group: 'until when', meaning: explainLifetime('expires') }],
  ['api.idle', { group: 'until when', meaning: explainLifetime('idle') }],

  ['version', { group: 'which version', meaning: explainVersion }],

  ['launch_id', fixed('other', 'still sent, but nothing is keyed on it')],
]);

/** Registered claims of any signed token (RFC 7519): not of the contract, and yet no riddle. */
const REGISTERED: ReadonlyMap<string, string> = new Map([
  ['sub', 'whom the token is about'],
  ['aud', 'whom the token is for'],
  ['exp', 'when the token that carried the claims expires, in seconds since the epoch'],
  ['nbf', 'when the token that carried the claims starts to be valid'],
  ['iat', 'when the token that carried the claims was issued, in seconds since the epoch'],
  ['jti', 'the ID of the token that carried the claims'],
  ['nonce', 'a value that is used once'],
]);

/** Objects whose claims are explained one by one. */
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
  at: Explaining,
): { group: ClaimGroup; meaning: string; known: boolean } {
  const known = KNOWN.get(path);
  if (known) return { group: known.group, meaning: known.meaning(at), known: true };
  const registered = REGISTERED.get(path);
  const meaning = registered
    ? `not in the contract; in a signed token: ${registered}`
    : ['not in the contract', ...meantBy(path)].join('; ');
  return { group: 'other', meaning, known: false };
}

/** The known claim that a misspelt one is most likely meant to be. */
function meantBy(path: string): string[] {
  const ranked = [...KNOWN.keys()]
    .map((claim) => ({ claim, far: distance(path.toLowerCase(), claim.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const [best] = ranked;
  if (best === undefined || best.far > Math.max(1, Math.min(3, path.length >> 2))) return [];
  return [`did you mean ${best.claim}?`];
}

function explainGroups({ launch }: Explaining): string {
  const staff = isStaff(launch);
  if (staff === undefined) return 'cannot be read: nobody can tell staff from students';
  return staff
    ? 'course staff: writes the shared rows, and reads and writes those of any member'
    : 'a student: reads the shared rows, and writes only the own ones';
}

function explainToken({ kind }: Explaining): string {
  return `the bearer token of every call; it ${lifetimeRule(kind)}`;
}

function explainGrade({ launch }: Explaining): string {
  return launch.gradeSubmit === null
    ? 'null: no gradebook column to post to, nothing to call'
    : 'where a score is posted; each POST is one attempt, published anew';
}

function explainLifetime(claim: 'expires' | 'idle'): KnownClaim['meaning'] {
  return ({ launch, now }) => {
    const guess = guessLifetime(launch[claim]);
    const reading =
      guess === undefined ? 'it cannot be read' : `perhaps ${guessInWords(guess, now)}`;
    return `lifetime information; the contract does not say how to read it: ${reading}`;
  };
}

function explainVersion({ launch }: Explaining): string {
  const offer = upgradeOffered(launch.claims);
  const version = 'the version of the tool that the course runs';
  return offer === undefined ? version : `${version}; an upgrade is offered: ${offer}`;
}
