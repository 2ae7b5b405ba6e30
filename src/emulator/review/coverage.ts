import type { EmulatorState } from '../state/state.ts';
import type { Collection } from '../store/collection.ts';
import type { Token } from '../state/records.ts';
import { endOf } from '../state/tokens.ts';
import { versionClaim } from '../state/versions.ts';
import { isStaffMember, type Course } from '../state/world.ts';
import type { SeenRequest } from './seen-request.ts';
import { SITUATIONS, type Situation, STATE_OF_END } from './situations.ts';

const IDS: ReadonlySet<string> = new Set(SITUATIONS.map(({ id }) => id));
const RECORD = 'coverage';
const SIZE_CODES: ReadonlySet<string | undefined> = new Set(['EntityTooSmall', 'EntityTooLarge']);

/** The situations that the tool has met. */
export class Coverage {
  readonly #state: EmulatorState;
  readonly #kept: Collection<object>;
  readonly #seen = new Set<string>();
  /** Launches whose claims were already examined. */
  readonly #launches = new Set<string>();

  constructor(state: EmulatorState, kept: Collection<object>) {
    this.#state = state;
    this.#kept = kept;
    const { seen = [] } = (kept.get(RECORD) ?? {}) as { seen?: string[] };
    for (const id of seen) this.#seen.add(id);
  }

  /** Records the situations of one request. */
  see(seen: SeenRequest): void {
    const { facts, caller, status, isLost } = seen;
    const { token } = caller;
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
    if (course !== undefined && this.#offersUpgrade(token, course)) {
      this.#meet('launch.upgrade_offered');
    }
  }

  #offersUpgrade({ tool }: Token, course: Course): boolean {
    return versionClaim(this.#state.world.tools.get(tool), course).upgrade !== null;
  }

  #meet(id: string): void {
    if (this.#seen.has(id) || !IDS.has(id)) return;
    this.#seen.add(id);
    this.#kept.set(RECORD, { seen: [...this.#seen] });
  }

  shown(): (Situation & { readonly seen: boolean })[] {
    return SITUATIONS.map(({ id, words }) => ({ id, words, seen: this.#seen.has(id) }));
  }

  clear(): void {
    this.#seen.clear();
    this.#launches.clear();
  }
}
