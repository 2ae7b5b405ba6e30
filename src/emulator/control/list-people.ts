import { LAUNCH_TOKEN_IDLE_MS, PROVISION_TOKEN_MS } from '../../contract/index.ts';
import { endOf } from '../state/tokens.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Token } from '../state/records.ts';
import type { Member } from '../state/world.ts';
import { isFound, listQuery, pageOf } from './query.ts';

/** Members of the courses: by `search`, `course`, `role`. */
export function listMembers({ world }: EmulatorState, given: URLSearchParams) {
  const query = listQuery(given);
  const [course, role] = [given.get('course'), given.get('role')];
  const matches = (member: Member): boolean =>
    (course === null || member.course === course) &&
    (role === null || member.groups.includes(role)) &&
    isFound(query.search, [nameOf(member)], [member.id, member.user, member.email]);
  return pageOf(world.members.values(), query, matches, (member) => {
    const { id, user, groups, email, left } = member;
    return { id, user, course: member.course, groups, name: nameOf(member), email, left };
  });
}

export function nameOf({
  givenName,
  familyName,
}: Pick<Member, 'givenName' | 'familyName'>): string {
  return `${givenName} ${familyName}`.trim();
}

/** The name of a member; '' where there is none. */
export function memberName({ world }: EmulatorState, id: string): string {
  const member = world.members.get(id);
  return member === undefined ? '' : nameOf(member);
}

/** Tokens by their launch, the latest first: by `search`, `live`. The texts themselves are secrets. */
export function listTokens(state: EmulatorState, given: URLSearchParams) {
  const query = listQuery(given);
  const now = state.clock.now();
  const wantsLive = given.get('live') === 'true';
  const matches = (token: Token): boolean =>
    (!wantsLive || endOf(token, now) === '') &&
    isFound(
      query.search,
      [memberName(state, token.member)],
      [token.launchId, token.tool, token.course, token.location, token.member],
    );
  return pageOf([...state.tokens.values()].reverse(), query, matches, (token) =>
    shownToken(state, token, now),
  );
}

/** When a token ends if no call comes, in ms since the epoch. */
export function expiryOf({ kind, issued, lastCall }: Token): number {
  return kind === 'launch' ? lastCall + LAUNCH_TOKEN_IDLE_MS : issued + PROVISION_TOKEN_MS;
}

export function shownToken(state: EmulatorState, token: Token, now: number) {
  const { kind, launchId: launch_id, tool, course, location, member, issued, lastCall } = token;
  const ended = endOf(token, now);
  return {
    launch_id,
    kind,
    tool,
    course,
    location,
    member,
    name: memberName(state, member),
    issued,
    last_call: lastCall,
    ended,
    expires: expiryOf(token),
    seconds_left: ended === '' ? Math.ceil((expiryOf(token) - now) / 1000) : 0,
  };
}

/** The members whose name or ID has these words in it. */
export function peopleFound({ world }: EmulatorState, search: string): Set<string> {
  const found = new Set<string>();
  for (const member of world.members.values()) {
    if (isFound(search, [nameOf(member)], [member.id])) found.add(member.id);
  }
  return found;
}
