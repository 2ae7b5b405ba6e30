import { CODES, type Code, type CodeRow } from '../../contract/index.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Collection } from '../store/collection.ts';
import type { EndReason, Token } from '../state/records.ts';
import { endOf } from '../state/tokens.ts';
import { versionClaim } from '../state/versions.ts';
import { isStaffMember, type Tool } from '../state/world.ts';
import type { SeenRequest } from './seen-request.ts';

/** States that a tool can meet besides refusals with a code, as the report names them. */
const SITUATION_STATES = {
  'launch.student': "a student's launch: no personal data",
  'launch.staff': 'a launch of course staff: name and email are filled in',
  'launch.grade_null': 'a launch whose grade.submit is null',
  'launch.account': 'a launch whose grade.submit is under /account/v1/users/',
  'launch.upgrade_offered': 'a launch whose version offers an upgrade',
  'launch.provision_request': 'a provision request',
  'launch.copied_course':
    'a copied course: a provision request with the rows of the previous course',
  'token.idle': '401: the token ended after 12 hours without a call',
  'token.suspended': '401: the token ended when the tool was suspended or archived',
  'token.left': '401: the token ended when the user left the course, or the membership changed',
  'token.code_replaced': '401: the token ended when the code of the tool was replaced',
  'token.provision_lifetime': '401: the token of a provision request ended after 3 hours',
  'token.session_expired':
    'session expired: a call of a hosted tool is refused, event service-session-expired',
  'row.never_written': '200: a row that was never written reads as {}',
  'attempt.success': '200: an attempt with status success',
  'attempt.refused': '200: a failed attempt: the LMS refused the score',
  'attempt.no_line_item': '200: a failed attempt: location has no line item',
  'attempt.scope': '200: a failed attempt: max_score without the line item scope',
  'file.deleted_absent': '204: DELETE of a file that is not there',
  'signed.expired': '403: a signed URL has expired',
  'signed.size': '400: an upload does not match its declared size',
  'response.lost': 'no response: the connection was lost after the effect',
  'response.unavailable': '5xx: no usable response; not listed in the contract',
} as const;

type SituationState = keyof typeof SITUATION_STATES;

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
export const SITUATIONS: readonly Situation[] = [
  ...Object.entries(SITUATION_STATES).map(([id, words]): Situation => ({
    id: id as SituationState,
    words,
  })),
  ...refusals.sort((a, b) => Number(a.words.slice(0, 3)) - Number(b.words.slice(0, 3))),
];

/** By the reason why a token ended; a token that was ended by hand is in none of these states. */
const STATE_OF_END: Readonly<Record<EndReason, SituationState | undefined>> = {
  idle: 'token.idle',
  'lifetime over': 'token.provision_lifetime',
  'tool suspended': 'token.suspended',
  'tool archived': 'token.suspended',
  'code replaced': 'token.code_replaced',
  'left the course': 'token.left',
  'membership changed': 'token.left',
  'ended by hand': undefined,
};

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

const IDS: ReadonlySet<string> = new Set(SITUATIONS.map(({ id }) => id));
const RECORD = 'coverage';
const SIZE_CODES: ReadonlySet<string | undefined> = new Set(['EntityTooSmall', 'EntityTooLarge']);

interface Kept {
  readonly seen?: readonly string[];
  readonly kinds?: readonly ToolKind[];
}

/** The situations that the tool has met. */
export class Coverage {
  readonly #state: EmulatorState;
  readonly #kept: Collection<object>;
  readonly #seen = new Set<string>();
  /** The kinds of the tools that have called. */
  readonly #kinds = new Set<ToolKind>();
  /** Launches whose claims were already examined. */
  readonly #launches = new Set<string>();

  constructor(state: EmulatorState, kept: Collection<object>) {
    this.#state = state;
    this.#kept = kept;
    const { seen = [], kinds = [] } = (kept.get(RECORD) ?? {}) as Kept;
    for (const id of seen) this.#seen.add(id);
    for (const kind of kinds) this.#kinds.add(kind);
  }

  /** Records the situations of one request. */
  see(seen: SeenRequest): void {
    const { facts, caller, status, isLost } = seen;
    const { token } = caller;
    this.#meetTool(caller.tool ?? this.#state.world.tools.get(token?.tool ?? ''));
    if (token !== undefined && !this.#launches.has(token.launchId)) this.#meetLaunch(token);
    if (status >= 400) this.#meetRefusal(seen);
    if (isLost && seen.isProcessed) this.#meet('response.lost');
    if (facts.isUnwritten === true && status === 200) this.#meet('row.never_written');
    if (facts.attempt !== undefined) {
      const { status: outcome, failure } = facts.attempt;
      this.#meet(outcome === 'success' ? 'attempt.success' : `attempt.${failure}`);
    }
    if (facts.isAbsent === true) this.#meet('file.deleted_absent');
  }

  #meetTool(tool: Tool | undefined): void {
    const kind = tool?.hosted === true ? 'hosted' : 'external';
    if (tool === undefined || this.#kinds.has(kind)) return;
    this.#kinds.add(kind);
    this.#keep();
  }

  #meetRefusal({ facts, code, caller, status, request, place }: SeenRequest): void {
    if (facts.expired !== undefined) this.#meet('signed.expired');
    if (status >= 500) this.#meet('response.unavailable');
    if (place === 'signed' && SIZE_CODES.has(code)) this.#meet('signed.size');
    if (code === undefined) return;
    this.#meet(code);
    const { token } = caller;
    if (token === undefined || status !== 401) return;
    const end = endOf(this.#state.tokens.get(token.token) ?? token, this.#state.clock.now());
    if (end === '') return;
    this.#meet(STATE_OF_END[end] ?? '');
    const { origin } = request.headers;
    if (typeof origin === 'string' && this.#state.hosted.origins.has(origin)) {
      this.#meet('token.session_expired');
    }
  }

  #meetLaunch(token: Token): void {
    const { world } = this.#state;
    const member = world.members.get(token.member);
    const location = world.locations.get(token.location);
    const course = world.courses.get(token.course);
    this.#launches.add(token.launchId);
    if (token.kind === 'provision') {
      this.#meet('launch.provision_request');
      if (course !== undefined && course.parent !== '') this.#meet('launch.copied_course');
      return;
    }
    if (member !== undefined) {
      this.#meet(isStaffMember(member) ? 'launch.staff' : 'launch.student');
    }
    const hasGrade = location?.type === 'assessment' && location.gradeUrl;
    if (!hasGrade) this.#meet('launch.grade_null');
    else if (token.account) this.#meet('launch.account');
    const upgrade = course && versionClaim(world.tools.get(token.tool), course).upgrade;
    if (upgrade) this.#meet('launch.upgrade_offered');
  }

  #meet(id: string): void {
    if (this.#seen.has(id) || !IDS.has(id)) return;
    this.#seen.add(id);
    this.#keep();
  }

  #keep(): void {
    this.#kept.set(RECORD, { seen: [...this.#seen], kinds: [...this.#kinds] } satisfies Kept);
  }

  shown(): (Situation & { readonly seen: boolean; readonly possible: boolean })[] {
    return SITUATIONS.map(({ id, words }) => {
      const seen = this.#seen.has(id);
      return { id, words, seen, possible: seen || this.#canMeet(id) };
    });
  }

  /** Whether a tool of a kind that has called can meet it; before the first call, any tool. */
  #canMeet(id: Situation['id']): boolean {
    const kinds = [...this.#kinds];
    return kinds.length === 0 || kinds.some((kind) => !IMPOSSIBLE[kind].has(id));
  }

  clear(): void {
    this.#seen.clear();
    this.#kinds.clear();
    this.#launches.clear();
  }
}
