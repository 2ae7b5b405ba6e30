import { FAULT_KINDS } from '../fault-kinds.ts';
import { parameter } from './parameters.ts';

const { integer, number, text, texts, switch: flag } = parameter;

/** The longest delay of a timer; with a longer one it fires at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

const lms = {
  location: text('--location <id>', 'only for this location'),
  scope: text('<scope>', '', { choices: ['score', 'lineitem'] }),
  column: text('<column>', '', { choices: ['present', 'missing'] }),
  points: number('<points>', 'such as 50', { above: 0 }),
  slow_ms: number('<ms>', 'milliseconds; 0 for no delay', { from: 0, to: MAX_DELAY_MS }),
} as const;

const refuse = {
  status: integer('--status <number>', 'HTTP status of its response', {
    from: 300,
    to: 599,
    default: 422,
  }),
  body: text('--body <text>', 'body of its response', { default: '' }),
  members: texts('--member <id...>', 'only scores of these members'),
  percent: number('--percent <number>', 'only this percentage of scores', { from: 0, to: 100 }),
  times: integer('--times <number>', 'only this many scores', { from: 1, to: 1e9 }),
} as const;

const VISIBILITIES = ['private', 'unlisted', 'public'] as const;

const publish = {
  visibility: text('--visibility <word>', 'visibility of the version', {
    choices: VISIBILITIES,
    default: 'private',
  }),
  version: integer('--version-number <number>', 'an existing version', { from: 1 }),
} as const;

const upload = {
  tool: text('--tool <id>', 'the tool (default: the first hosted one)'),
  visibility: text('--visibility <word>', 'visibility of the new version (default: private)', {
    choices: VISIBILITIES,
  }),
  version_only: flag('--version-only', 'leave the current version as it is'),
  watch: flag(
    '--watch',
    'upload the folder again whenever a file in it changes, as one version, until Ctrl-C',
  ),
} as const;

const adopt = {
  code: text('<code>', 'current, pilot, or the number of a version', { required: true }),
  course: text('--course <id>', 'the course', { required: true }),
  tool: text('--tool <id>', 'the tool', { required: true }),
} as const;

/**
 * How requests to an external tool are signed. The contract does not show it: these are lectern's
 * own. Those after `plain` are invalid, by RS256 if they name no algorithm, so that a tool can be
 * tested to refuse them.
 */
export const SIGNATURES = [
  'RS256',
  'HS256',
  'plain',
  'expired',
  'wrong-key',
  'altered',
  'HS256-expired',
  'HS256-wrong-key',
  'HS256-altered',
] as const;

const launch = {
  role: text('--role <role>', 'role of the user; a member given with --member must have it', {
    choices: ['student', 'assistant', 'instructor', 'manager'],
  }),
  member: text('--member <id>', 'launch as this member'),
  location: text(
    '--location <id>',
    'launch in this location (default: of an external tool, if there is one; with --open of the first)',
  ),
  course: text('--course <id>', 'launch in this course'),
} as const;

const coursePage = {
  third_party: flag('--third-party', 'serve the tool from another site, as a real LMS does'),
  dev_url: text(
    '--dev-url <url>',
    'show this development server on loopback in place of the uploaded code of a hosted tool',
  ),
} as const;

const signed = {
  sign: text(
    '--sign <how>',
    'signature of the launch of an external tool; those after plain are invalid (default: RS256)',
    { choices: SIGNATURES },
  ),
} as const;

const provision = {
  course: text('--course <id>', 'the course (default: one that is not provisioned yet)'),
  from: text('--from <course>', 'a copy of this course; creates the copy if there is none'),
  location: text('--location <id>', 'for this location (default: one that is not provisioned yet)'),
} as const;

const locations = {
  tool: text('--tool <id>', 'the tool (default: the first with a locations_url)'),
  course: text('--course <id>', 'the course (default: the first in which the tool is placed)'),
} as const;

const key = {
  tool: text('--tool <id>', 'the tool ID (default: the first tool with a key that is placed)'),
} as const;

const tokenEnd = {
  launch_id: text(
    '--launch-id <id>',
    'the launch with this ID, as in launch_id and emulator show tokens',
  ),
} as const;

const requests = {
  filter: text(
    '--filter <words>',
    'only requests that match all words: method:, status:, person:, path:, by:tool, by:lectern, or any part of a request',
  ),
  after: integer('--after <number>', 'only requests after this number', { from: 0 }),
} as const;

const { status, close, cut, delay } = FAULT_KINDS;

const fault = {
  method: text('--method <method>', 'match requests with this method (default: any)'),
  path: text('--path <regex>', 'match requests by path and query'),
  times: integer('--times <n>', 'number of responses to affect', { from: 1, default: 1 }),
  status: integer(status.flag, status.help, status.range),
  body: text('--body <text>', 'response body'),
  close: text(close.flag, close.help, { choices: close.choices }),
  cut: flag(cut.flag, cut.help),
  delay_ms: integer(delay.flag, delay.help, delay.range),
} as const;

export const LARGEST_PAGE = 500;

/** A page of a list. */
const page = {
  search: text('--search <text>', 'only entries with this text in their IDs, names or messages'),
  limit: integer('--limit <n>', 'items on a page (default: 50; lectern prints all to a pipe)', {
    from: 1,
    to: LARGEST_PAGE,
  }),
  after: text('--after <page>', 'the page to print, as named by the page before it'),
} as const;

const members = { course: text('--course <id>', 'only members of this course'), ...page };
const tokens = { live: flag('--live', 'only tokens that are live'), ...page };
const files = {
  row: text('<row>', 'as named by emulator show file-sets', { required: true }),
  ...page,
};
const grades = { location: text('--location <id>', 'only of this location'), ...page };
const attempts = { member: text('--member <id>', 'only of this member'), ...grades };

/** The parameters that both the control API and the command line take. */
export const TAKEN = {
  lms,
  refuse,
  publish,
  upload,
  adopt,
  launch,
  coursePage,
  signed,
  provision,
  locations,
  key,
  tokenEnd,
  requests,
  fault,
  page,
  members,
  tokens,
  files,
  grades,
  attempts,
} as const;
