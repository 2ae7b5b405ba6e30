import { endOf, EXPIRY, expiryOf } from '../state/tokens.ts';
import { memberName } from '../state/people.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Token } from '../state/records.ts';
import { IN_GROUP } from '../state/world.ts';
import type { ResourceItem } from '../../control-api/resources.ts';
import { columnSchemas, schemasOf } from '../../control-api/schemas.ts';
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import { operation, SORT } from './operation.ts';
import { equal, listPage, pageSchema } from './query.ts';

const OF_LIST = columnSchemas('tokens');
/** A token without its text, which is a secret. */
export const KEPT_TOKEN = {
  launch_id: OF_LIST.launch_id,
  tool: OF_LIST.tool,
  course: OF_LIST.course,
  location: OF_LIST.location,
  member: OF_LIST.member,
  kind: OF_LIST.kind,
  issued: OF_LIST.issued,
  last_call: OF_LIST.last_call,
  ended: OF_LIST.ended,
};

const MEMBERS_TAKEN = s.object({ ...schemasOf(TAKEN.members), ...SORT, 'role?': s.text });
const TOKENS_TAKEN = s.object({ ...schemasOf(TAKEN.tokens), ...SORT });

export const PEOPLE_OPERATIONS = {
  'GET members': operation({
    summary: 'members of the courses',
    takes: MEMBERS_TAKEN,
    answers: pageSchema('members'),
    run: ({ state }, asked) => listMembers(state, asked),
  }),
  'GET tokens': operation({
    summary: 'tokens by their launch, the latest first; the tokens themselves are secrets',
    takes: TOKENS_TAKEN,
    answers: pageSchema('tokens'),
    run: ({ state }, asked) => listTokens(state, asked),
  }),
};

function listMembers({ store }: EmulatorState, asked: s.Static<typeof MEMBERS_TAKEN>) {
  const { course, role } = asked;
  const source = {
    from: 'members',
    where: [...equal('course', course), ...(role === undefined ? [] : [[IN_GROUP, role] as const])],
    order: 'rowid',
    key: 'rowid',
  };
  return listPage(store, 'members', source, asked, () => ({}));
}

function listTokens(state: EmulatorState, asked: s.Static<typeof TOKENS_TAKEN>) {
  const now = state.clock.now();
  const isLive = `ended = '' AND ${EXPIRY} > ${now}`;
  const source = {
    from: 'tokens LEFT JOIN members ON members.id = member',
    select: 'token',
    where: asked.live ? ([[isLive]] as const) : [],
    // Ended tokens have no time left.
    sorts: { seconds_left: `iif(${isLive}, ${EXPIRY}, 0)` },
    order: '-tokens.rowid',
    key: 'tokens.rowid',
  };
  return listPage<'tokens', { token: string }>(state.store, 'tokens', source, asked, ({ token }) =>
    shownToken(state, state.tokens.get(token) as Token, now),
  );
}

export function keptToken(token: Token, now: number) {
  const { kind, launch_id, tool, course, location, member, issued, last_call } = token;
  const ids = { launch_id, tool, course, location, member };
  return { ...ids, kind, issued, last_call, ended: endOf(token, now) };
}

export function shownToken(
  state: EmulatorState,
  token: Token,
  now: number,
): ResourceItem<'tokens'> {
  const kept = keptToken(token, now);
  return {
    ...kept,
    name: memberName(state, token.member),
    expires: expiryOf(token),
    seconds_left: kept.ended === '' ? Math.ceil((expiryOf(token) - now) / 1000) : 0,
  };
}
