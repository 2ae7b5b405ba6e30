import { CODES, type Code, type CodeRow } from '../../contract/index.ts';
import type { RequestCaller } from '../service/call.ts';
import type { Token } from '../state/records.ts';
import type { EmulatorState } from '../state/state.ts';
import { versionClaim } from '../state/versions.ts';
import { isStaffMember, type Tool, type World } from '../state/world.ts';
import type { Exchanges, Met } from './exchanges.ts';
import { OF_TROUBLE } from './stored-exchange.ts';

/** A state that a tool can meet, and the condition of an exchange that shows it. */
interface State {
  readonly words: string;
  /** By default its outcome is the state's ID, or its launch has met it. */
  readonly met?: string;
}

/** States besides refusals with a code, as the report names them. */
const STATES = {
  'launch.student': { words: "a student's launch: no personal data" },
  'launch.staff': { words: 'a launch of course staff: name and email are filled in' },
  'launch.grade_null': { words: 'a launch whose grade.submit is null' },
  'launch.account': { words: 'a launch whose grade.submit is under /account/v1/users/' },
  'launch.upgrade_offered': { words: 'a launch whose version offers an upgrade' },
  'launch.provision_request': { words: 'a provision request' },
  'launch.copied_course': {
    words: 'a copied course: a provision request with the rows of the previous course',
  },
  'token.idle': {
    words: '401: the token ended after 12 hours without a call',
    met: "ended = 'idle'",
  },
  'token.suspended': {
    words: '401: the token ended when the tool was suspended or archived',
    met: "ended IN ('tool suspended', 'tool archived')",
  },
  'token.left': {
    words: '401: the token ended when the user left the course, or the membership changed',
    met: "ended IN ('left the course', 'membership changed')",
  },
  'token.code_replaced': {
    words: '401: the token ended when the code of the tool was replaced',
    met: "ended = 'code replaced'",
  },
  'token.provision_lifetime': {
    words: '401: the token of a provision request ended after 3 hours',
    met: "ended = 'lifetime over'",
  },
  'token.session_expired': {
    words: 'session expired: a call of a hosted tool is refused, event service-session-expired',
    met: 'ended IS NOT NULL AND framed',
  },
  'row.never_written': { words: '200: a row that was never written reads as {}' },
  'attempt.success': { words: '200: an attempt with status success' },
  'attempt.refused': { words: '200: a failed attempt: the LMS refused the score' },
  'attempt.no_line_item': { words: '200: a failed attempt: location has no line item' },
  'attempt.scope': { words: '200: a failed attempt: max_score without the line item scope' },
  'file.deleted_absent': { words: '204: DELETE of a file that is not there' },
  'signed.expired': {
    words: '403: a signed URL has expired',
    met: 'form IS NOT NULL AND expired',
  },
  'signed.size': {
    words: '400: an upload does not match its declared size',
    met: "outcome IN ('EntityTooSmall', 'EntityTooLarge') AND place = 'signed'",
  },
  'response.lost': {
    words: 'no response: the connection was lost after the effect',
    met: `${OF_TROUBLE} AND lost AND processed`,
  },
  'response.unavailable': {
    words: '5xx: no usable response; not listed in the contract',
    met: `${OF_TROUBLE} AND status >= 500 AND outcome IS NOT 'method_not_allowed'`,
  },
} satisfies Readonly<Record<string, State>>;

type SituationState = keyof typeof STATES;

/** An answer or a state that the contract can bring a tool into. */
export interface Situation {
  readonly id: SituationState | Code;
  readonly words: string;
}

const refusals = (Object.entries(CODES) as [Code, CodeRow][]).flatMap(
  ([id, { status, rule }]): Situation[] =>
    status === undefined ? [] : [{ id, words: `${status} ${id}: ${rule}` }],
);

/** All situations, in the order of a report. */
const SITUATIONS: readonly Situation[] = [
  ...Object.entries(STATES).map(([id, { words }]): Situation => ({
    id: id as SituationState,
    words,
  })),
  ...refusals.sort((a, b) => Number(a.words.slice(0, 3)) - Number(b.words.slice(0, 3))),
];

type ToolKind = 'hosted' | 'external';

/** What a kind of tool cannot meet: "a hosted tool has no API key", and no server of its own. */
const IMPOSSIBLE: Readonly<Record<ToolKind, ReadonlySet<Situation['id']>>> = {
  external: new Set(['token.code_replaced', 'token.session_expired']),
  hosted: new Set([
    'launch.provision_request',
    'launch.copied_course',
    'token.provision_lifetime',
    'auth.key_unknown',
    'auth.key_not_accepted',
    'auth.other_tool',
    'auth.not_placed',
  ]),
};

/** The situations of a launch, or of a tool's API key, as its first call meets them. */
export function metBy({ world }: EmulatorState, { token, tool }: RequestCaller): Met | undefined {
  const called = tool ?? world.tools.get(token?.tool ?? '');
  if (called === undefined) return undefined;
  const { id, hosted } = called;
  if (token === undefined) return { caller: id, hosted, situations: [] };
  return { caller: token.launch_id, hosted, situations: launchSituations(world, token, called) };
}

function launchSituations(world: World, token: Token, tool: Tool): SituationState[] {
  const course = world.courses.get(token.course);
  if (token.kind === 'provision') {
    const isCopied = course !== undefined && course.parent !== '';
    return ['launch.provision_request', ...(isCopied ? (['launch.copied_course'] as const) : [])];
  }
  const member = world.members.get(token.member);
  const location = world.locations.get(token.location);
  const isGraded = location?.type === 'assessment' && location.grade_url;
  const situations: [SituationState, boolean][] = [
    ['launch.staff', member !== undefined && isStaffMember(member)],
    ['launch.student', member !== undefined && !isStaffMember(member)],
    ['launch.grade_null', !isGraded],
    ['launch.account', isGraded && token.account],
    ['launch.upgrade_offered', Boolean(course && versionClaim(tool, course).upgrade)],
  ];
  return situations.flatMap(([id, isMet]) => (isMet ? [id] : []));
}

/** Which situations tools have met, and which those of their kinds can meet. */
export function coverageOf(exchanges: Pick<Exchanges, 'rows'>) {
  const kinds = new Set<ToolKind>();
  const seen = new Set<string | null>();
  for (const each of exchanges.rows<{ hosted: 0 | 1; situations: string }>(CALLERS)) {
    kinds.add(each.hosted === 1 ? 'hosted' : 'external');
    for (const id of JSON.parse(each.situations) as string[]) seen.add(id);
  }
  for (const { outcome } of exchanges.rows<{ outcome: string }>(OUTCOMES)) seen.add(outcome);
  for (const [id, { met }] of Object.entries<State>(STATES)) {
    if (met === undefined) continue;
    const [found] = exchanges.rows(`SELECT 1 FROM exchanges WHERE judged AND ${met} LIMIT 1`);
    if (found !== undefined) seen.add(id);
  }
  return SITUATIONS.map(({ id, words }) => {
    const isSeen = seen.has(id);
    return { id, words, seen: isSeen, possible: isSeen || canMeet(kinds, id) };
  });
}

const CALLERS = 'SELECT DISTINCT hosted, situations FROM callers';
const OUTCOMES = 'SELECT DISTINCT outcome FROM exchanges WHERE outcome IS NOT NULL AND judged';

/** Whether a tool of a kind that has called can meet it; before the first call, any tool. */
function canMeet(kinds: ReadonlySet<ToolKind>, id: Situation['id']): boolean {
  return kinds.size === 0 || [...kinds].some((kind) => !IMPOSSIBLE[kind].has(id));
}
