import { endOf, expiryOf } from '../state/tokens.ts';
import { isFound, memberName, nameOf } from '../state/people.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Token } from '../state/records.ts';
import type { Member } from '../state/world.ts';
import * as s from '../../schema/schema.ts';
import { LIST, operation, pageSchema } from './operation.ts';
import { listQuery, pageOf } from './query.ts';

const milliseconds = s.described(s.anyNumber, 'milliseconds since the epoch');

const MEMBER = s.object({
  ...s.texts('id', 'user', 'course'),
  groups: s.list(s.text),
  name: s.text,
  email: s.text,
  left: s.bool,
});

/** A token without its text, which is a secret. */
export const KEPT_TOKEN = {
  ...s.texts('launch_id', 'tool', 'course', 'location', 'member'),
  kind: s.oneOf('launch', 'provision'),
  issued: milliseconds,
  last_call: milliseconds,
  ended: s.described(s.text, "why; '' for a live token"),
};

export const TOKEN = s.object({
  ...KEPT_TOKEN,
  name: s.text,
  expires: s.described(s.integer, 'milliseconds since the epoch, if no call comes'),
  seconds_left: s.count,
});
type ShownToken = s.Static<typeof TOKEN>;

const MEMBERS_TAKEN = s.object({ ...LIST, 'course?': s.text, 'role?': s.text });
const TOKENS_TAKEN = s.object({ ...LIST, 'live?': s.bool });

export const PEOPLE_OPERATIONS = {
  'GET members': operation({
    summary: 'members of the courses',
    takes: MEMBERS_TAKEN,
    answers: pageSchema(MEMBER),
    run: ({ state }, asked) => listMembers(state, asked),
  }),
  'GET tokens': operation({
    summary: 'tokens by their launch, the latest first; the tokens themselves are secrets',
    takes: TOKENS_TAKEN,
    answers: pageSchema(TOKEN),
    run: ({ state }, asked) => listTokens(state, asked),
  }),
};

function listMembers({ world }: EmulatorState, asked: s.Static<typeof MEMBERS_TAKEN>) {
  const query = listQuery(asked);
  const { course, role } = asked;
  const matches = (member: Member): boolean =>
    (course === undefined || member.course === course) &&
    (role === undefined || member.groups.includes(role)) &&
    isFound(query.search, [nameOf(member)], [member.id, member.user, member.email]);
  return pageOf(world.members.values(), query, matches, (member) => {
    const { id, user, groups, email, left } = member;
    return { id, user, course: member.course, groups, name: nameOf(member), email, left };
  });
}

function listTokens(state: EmulatorState, asked: s.Static<typeof TOKENS_TAKEN>) {
  const query = listQuery(asked);
  const now = state.clock.now();
  const matches = (token: Token): boolean =>
    (!asked.live || endOf(token, now) === '') &&
    isFound(
      query.search,
      [memberName(state, token.member)],
      [token.launchId, token.tool, token.course, token.location, token.member],
    );
  return pageOf(
    [...state.tokens.values()].reverse(),
    query,
    matches,
    (token) => shownToken(state, token, now),
    {
      // Ended tokens have no time left.
      expires: (token) => (endOf(token, now) === '' ? expiryOf(token) : 0),
      person: ({ member }) => memberName(state, member) || member,
      tool: ({ tool }) => tool,
      placement: ({ location }) => location,
      issued: ({ issued }) => issued,
    },
  );
}

export function keptToken(token: Token, now: number) {
  const { kind, launchId: launch_id, tool, course, location, member, issued, lastCall } = token;
  const ids = { launch_id, tool, course, location, member };
  return { ...ids, kind, issued, last_call: lastCall, ended: endOf(token, now) };
}

export function shownToken(state: EmulatorState, token: Token, now: number): ShownToken {
  const kept = keptToken(token, now);
  return {
    ...kept,
    name: memberName(state, token.member),
    expires: expiryOf(token),
    seconds_left: kept.ended === '' ? Math.ceil((expiryOf(token) - now) / 1000) : 0,
  };
}
