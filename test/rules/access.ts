/**
 * "Authentication" and "States and transitions": who may do what with which credential, and how long a
 * token is valid. The members, courses and tools are those of the default world.
 */
import type { RowKind } from '../../src/contract/index.ts';
import type { LaunchRequest } from '../../src/emulator/index.ts';
import type { Choices } from '../../src/emulator/freedom/vary.ts';
import type { Launch } from '../emulator/subject.ts';
import type { Answer } from '../emulator/wire.ts';

const AMINA = { member: 'member-111' };
const BO = { member: 'member-112' };
const STAFF = ['manager', 'instructor', 'assistant'] as const;
const TEACHER = { role: 'instructor' };

/** A call of the control API: its path and body. */
export type Act = readonly [path: string, body: object];

/** What a launch may do with rows and their files. */
export interface Permission {
  readonly by: LaunchRequest;
  /** Whose rows; those of `by` by default. */
  readonly of?: LaunchRequest;
  readonly rows: readonly RowKind[];
  /** The status of a call that is not allowed; without one it is. */
  readonly read?: 403 | 404;
  readonly write?: 403 | 404;
}

const SHARED = ['context', 'location'] as const;
const OWN = ['member', 'member_location'] as const;
const ALL = [...SHARED, ...OWN];

/** "Authentication", 4. */
export const PERMISSIONS: readonly Permission[] = [
  { by: AMINA, rows: SHARED, write: 403 },
  { by: AMINA, rows: OWN },
  { by: AMINA, of: BO, rows: OWN, read: 403, write: 403 },
  ...STAFF.map((role) => ({ by: { role }, rows: ALL })),
  ...STAFF.map((role) => ({ by: { role }, of: BO, rows: ALL })),
  // No member of the course
  ...['student', 'instructor'].map((role): Permission => {
    return { by: { course: 'history-202', role }, of: AMINA, rows: ALL, read: 403, write: 403 };
  }),
  // Of another tool
  { by: { ...AMINA, tool: 'polls' }, of: AMINA, rows: ALL, read: 404, write: 404 },
];

/** A grade submission: who submits it, to which URL, and how it ends. */
export interface Submission {
  /** A launch whose token is sent, the tool whose API key is, or a token; `$provision` is that of a provision request. */
  readonly by: LaunchRequest | { readonly key: string } | { readonly token: string | undefined };
  /** The launch whose URL is called; Amina's by default. */
  readonly of?: LaunchRequest;
  /** What is replaced in that URL, and by what. */
  readonly change?: readonly [string, string];
  readonly before?: Act;
  readonly status: 200 | 401 | 403 | 404 | 422;
  readonly message?: string;
  /** A part of the attempt record. */
  readonly attempt?: object;
  readonly readings?: readonly (keyof Choices)[];
}

const KEY = { key: 'essay' };
const ESSAY = { ...AMINA, location: 'essay-1' };
const ACCOUNT = { ...AMINA, account: true };
const SKETCH = { tool: 'sketch' };
const tool = (action: string): Act => ['tool', { tool: 'essay', action }];
const LEFT: Act = ['member/remove', AMINA];
const APP_SUSPENDED = { status: 401, message: 'App is suspended' } as const;
const to = (member: string): readonly [string, string] => [AMINA.member, member];
const UNKNOWN = { status: 404, readings: ['unknown_member'] } as const;

/** "Authentication": grade submission, and the 401, 403 and 404 of "Errors". */
export const SUBMISSIONS: readonly Submission[] = [
  // Students: only themselves, at any tool's URL
  { by: AMINA, status: 200 },
  ...[BO.member, 'member-101', 'nobody'].map((member): Submission => {
    return { by: AMINA, change: to(member), status: 403, message: '' };
  }),
  { by: { ...AMINA, tool: 'polls' }, status: 200 },
  { by: { ...BO, tool: 'polls' }, status: 403 },
  // Staff: any member of their course
  ...STAFF.map((role): Submission => {
    const attempt = { data: { source_type: 'launch_token' }, annotations: AMINA };
    return { by: { role }, status: 200, attempt };
  }),
  { by: TEACHER, change: to('member%2D112'), status: 200, attempt: { annotations: BO } },
  { by: { ...TEACHER, tool: 'polls' }, status: 200 },
  { by: { ...TEACHER, course: 'history-202' }, status: 403 },
  { by: TEACHER, change: to('nobody'), ...UNKNOWN },
  { by: TEACHER, change: to('member-211'), ...UNKNOWN },
  { by: TEACHER, before: LEFT, ...UNKNOWN },
  // The tool's server
  { by: KEY, status: 200, attempt: { data: { source_type: 'api_key', source_id: '' } } },
  { by: KEY, change: to('member-115'), status: 200 },
  { by: KEY, change: to('nobody'), ...UNKNOWN },
  { by: KEY, before: tool('suspend'), ...APP_SUSPENDED },
  { by: KEY, before: tool('archive'), ...APP_SUSPENDED },
  { by: { key: 'polls' }, status: 403, message: 'API key is for tool polls, not tool essay' },
  {
    by: KEY,
    of: ESSAY,
    change: ['biology-101', 'history-202'],
    status: 403,
    message: 'tool essay has no placement of location essay-1 in context history-202',
  },
  { by: SKETCH, of: SKETCH, status: 200 },
  { by: { key: 'sketch' }, of: SKETCH, status: 401 },
  // No such credential
  { by: { token: undefined }, status: 401, message: 'Missing Bearer API key' },
  { by: { token: 'key_nobody' }, status: 401, message: 'Invalid API key' },
  { by: { token: '$provision' }, status: 401 },
  // No such place
  ...[TEACHER, KEY].flatMap((by): Submission[] => [
    { by, of: ESSAY, change: ['biology-101', 'nowhere'], status: 404 },
    { by, of: ESSAY, change: ['essay-1', 'nothing'], status: 404 },
  ]),
  {
    by: TEACHER,
    of: ESSAY,
    change: ['essay-1', 'essay-guide'],
    status: 422,
    message: 'grade passback is only allowed for assessment locations',
  },
  // URLs under /account/v1/users/
  { by: ACCOUNT, of: ACCOUNT, status: 200, attempt: { annotations: AMINA } },
  { by: KEY, of: ACCOUNT, status: 401 },
  { by: BO, of: ACCOUNT, status: 403 },
  { by: TEACHER, of: ACCOUNT, change: ['user-111', 'user-112'], status: 404 },
];

export const HOURS = 3600;
const advance = (seconds: number): Act => ['clock', { advance_seconds: seconds }];

/** A launch token, what happens, and the status of its calls afterwards. */
export interface Life {
  readonly launch?: LaunchRequest;
  /** `$token` is the token. */
  readonly acts: readonly Act[];
  readonly status: 200 | 401;
  readonly message?: string;
  /** Such a launch cannot be made afterwards; otherwise its token is valid. */
  readonly isLast?: true;
  readonly readings?: readonly (keyof Choices)[];
}

const NEW_CODE: readonly Act[] = [['tool', { tool: 'sketch', action: 'replace-code' }]];
const GROUPS: Act = ['member/groups', { ...AMINA, groups: ['assistant'] }];

/** "Launch token": how it ends, for good. */
export const LIVES: readonly Life[] = [
  { acts: [advance(12 * HOURS - 0.001)], status: 200 },
  { acts: [advance(12 * HOURS)], status: 401, readings: ['idle_edge'] },
  { acts: [advance(12 * HOURS + 0.001)], status: 401 },
  { acts: [advance(13 * HOURS), advance(-5 * HOURS)], status: 401 },
  ...['suspend', 'archive'].flatMap((action): Life[] => [
    { acts: [tool(action)], ...APP_SUSPENDED },
    { launch: { tool: 'polls' }, acts: [tool(action)], status: 200 },
    { acts: [tool(action), tool('activate')], status: 401 },
  ]),
  { launch: SKETCH, acts: NEW_CODE, status: 401 },
  { acts: NEW_CODE, status: 200 },
  { launch: AMINA, acts: [LEFT], status: 401, isLast: true },
  { launch: BO, acts: [LEFT], status: 200 },
  { launch: AMINA, acts: [GROUPS], status: 401 },
  { acts: [['token/end', { token: '$token' }]], status: 401 },
];

type Calls = Readonly<Record<string, (launch: Launch) => Promise<Answer>>>;

/** Calls of staff that restart the 12 hours of their token. */
export const SUCCESSFUL: Calls = {
  'GET of a row': (l) => l.get(l.row('context')),
  'PUT of a row': (l) => l.put(l.row('member'), {}),
  'PATCH of a row': (l) => l.patch(l.row('member'), [{ op: 'add', path: '/a', value: 1 }]),
  listing: (l) => l.get(l.files('member')),
  declaration: (l) => l.call('PUT', l.file('member', 'a'), { json: { size: 1 } }),
  DELETE: (l) => l.call('DELETE', l.file('member', 'a')),
  'grade submission': (l) => l.grade({ score: 1 }),
  'a failed attempt': (l) => l.grade({ score: 1 }, l.submit.replace('essay-1', 'essay-unlinked')),
  'provision PUT': (l) => l.call('PUT', l.claims.provision.context),
};

/** Calls of a student that do not, by the status that they get. */
export const REFUSED: Calls = {
  '403': (l) => l.put(l.row('context'), {}),
  '404': (l) => l.get(`${l.row('member_location')}x`),
  '404 of a file': (l) => l.get(l.file('member', 'nothing')),
  '422': (l) => l.call('PUT', l.row('member'), { body: '[]' }),
  '422 of a grade': (l) => l.grade({ score: 2 }),
};
