import {
  isStaff,
  type Launch,
  type LaunchKind,
  ROW_NAMES,
  STAFF_DATA,
} from '../../contract/index.ts';
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

/** The types of claims; `shape.ts` has their tests. */
export type ClaimShape = 'text' | 'textOrNull' | 'address' | 'addressOrNull' | 'names' | 'rows';

/** What is known of a claim; `launch decode`, `validate launch` and the dated contracts read it. */
export interface ClaimRow {
  readonly path: string;
  readonly group?: ClaimGroup;
  /** What it is, in words; absent for a claim that is shown by its members. */
  readonly words?: string | ((at: ExplainContext) => string);
  /** Its type, if it is expected; in a provision request only with `ofRequests`. */
  readonly shape?: ClaimShape;
  readonly ofRequests?: true;
  /** It may be missing. */
  readonly optional?: true;
  /** What needs it. Absent if lectern does not use it. */
  readonly neededFor?: string;
  /** The date of the change that added it ("Versioning: contract changes"). */
  readonly since?: string;
  /**
   * Every launch has it since then, so that its absence indicates an older contract; `undated`: unless
   * `version`, of the newest, is there.
   */
  readonly always?: true | 'undated';
  /** The date of the change that removed it, and what replaced it. */
  readonly until?: string;
  readonly replacedBy?: string;
}

const ROW_WORDS = {
  context: 'of the course, shared',
  location: 'of the placement, shared',
  member: 'of this user in this course',
  member_location: 'of this user in this placement',
  parent_context: 'of the previous course',
  parent_location: "of the previous course's placement",
} as const;

type Words = NonNullable<ClaimRow['words']>;

function row(path: string, group: ClaimGroup, words: Words, more: Partial<ClaimRow> = {}) {
  return { path, group, words, ...more };
}

/** The dates of the changes. */
const AUGUST = '2026-08-25';
const GRADES = '2026-09-21';
const FILES = '2026-10-05';
const TOKENS = '2026-10-12';

const CALLS = 'URLs and token';
const PERSONAL = { shape: 'textOrNull', optional: true } as const;

/** "Launch claims referred to in this interface", and the dated changes of them. */
export const CLAIM_TABLE: readonly ClaimRow[] = [
  row(
    'api.token',
    CALLS,
    ({ kind }) => `the bearer token of every call; it ${lifetimeRule(kind)}`,
    {
      shape: 'text',
      neededFor: 'calls to the service',
      ofRequests: true,
    },
  ),
  ...ROW_NAMES.flatMap((name) => [
    row(`storage.${name}`, CALLS, `the JSON row ${ROW_WORDS[name]}`),
    row(`files.${name}`, CALLS, `the files beside the row ${ROW_WORDS[name]}`),
  ]),
  { path: 'files', since: FILES, always: true },
  row('grade.submit', CALLS, gradeText, {
    shape: 'addressOrNull',
    neededFor: 'grade submission',
    since: GRADES,
    always: true,
  }),
  row('provision.context', CALLS, 'PUT to it when the course is set up'),
  row('provision.location', CALLS, 'PUT to it when the placement is set up'),

  row(
    'user.member',
    'who',
    "the user's membership in the course; the member segment of grade URLs",
    {
      shape: 'text',
      neededFor: 'grading another member',
      since: AUGUST,
    },
  ),
  row('user.groups', 'who', groupsText, {
    shape: 'names',
    neededFor: 'distinguishing staff from students',
    since: AUGUST,
    always: true,
  }),
  row('location.id', 'where', "the service's ID of the placement", { shape: 'text' }),
  row('location.extid', 'where', "the tool's own ID of the destination", {
    ...PERSONAL,
    since: AUGUST,
  }),
  ...STAFF_DATA.map((name) => row(`user.${name}`, 'who', 'set for staff only', PERSONAL)),
  row('iss', 'where', "the service's own base URL, never the LMS", {
    shape: 'text',
    ofRequests: true,
  }),
  row('context', 'where', 'the ID of the course', {
    shape: 'text',
    ofRequests: true,
    since: AUGUST,
  }),
  row('course', 'where', 'display text of the course'),
  row('resource_link', 'where', 'the link in the LMS that was used', { since: AUGUST }),
  row('organization.deployment', 'where', "the tool's deployment at the school", { since: AUGUST }),

  row('api.expires', 'lifetime', lifetimeText('expires'), { since: TOKENS, always: 'undated' }),
  row('api.idle', 'lifetime', lifetimeText('idle'), { since: TOKENS, always: 'undated' }),
  row('version', 'version', versionText, { since: TOKENS, always: true }),
  row('launch_id', 'other', 'still sent, but not used by any endpoint'),

  { path: 'grade_passback', until: GRADES, replacedBy: 'grade.submit' },
  { path: 'user.role', until: AUGUST, replacedBy: 'user.groups with user.member' },
  { path: 'resource_link_id', until: AUGUST, replacedBy: 'resource_link' },
  { path: 'organization.id', until: AUGUST, replacedBy: 'organization.deployment' },
];

const ROWS: ReadonlyMap<string, ClaimRow> = new Map(CLAIM_TABLE.map((each) => [each.path, each]));

export function claimRow(path: string): ClaimRow | undefined {
  return ROWS.get(path);
}

function gradeText({ launch }: ExplainContext): string {
  return launch.gradeSubmit === null
    ? 'null: no gradebook column to post to'
    : 'where scores are posted; each POST is a new attempt and is published again';
}

function groupsText({ launch }: ExplainContext): string {
  const staff = isStaff(launch);
  if (staff === undefined) return 'not readable: staff and students cannot be distinguished';
  return staff
    ? 'course staff: can write the shared rows, and read and write the rows of any member'
    : 'a student: can read the shared rows, and write only their own rows';
}

function lifetimeText(claim: 'expires' | 'idle') {
  return ({ launch, now }: ExplainContext): string => {
    const guess = guessLifetime(launch[claim]);
    const reading = guess === undefined ? 'not readable' : `possibly ${guessInWords(guess, now)}`;
    return `lifetime information; the contract does not define its format: ${reading}`;
  };
}

function versionText({ launch }: ExplainContext): string {
  const offer = upgradeOffered(launch.claims);
  const version = 'the version of the tool that the course runs';
  return offer === undefined ? version : `${version}; an upgrade is offered: ${offer}`;
}
