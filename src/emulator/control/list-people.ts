import { endOf, EXPIRY, expiryOf } from '../state/tokens.ts';
import { memberName, nameOf } from '../state/people.ts';
import type { EmulatorState } from '../state/state.ts';
import type { Token } from '../state/records.ts';
import { IN_GROUP, type Member } from '../state/world.ts';
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import { operation, pageSchema, schemasOf, SORT } from './operation.ts';
import { equal, listPage, NAME, natural } from './query.ts';

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

const MEMBERS_TAKEN = s.object({ ...schemasOf(TAKEN.members), ...SORT, 'role?': s.text });
const TOKENS_TAKEN = s.object({ ...schemasOf(TAKEN.tokens), ...SORT });

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

function listMembers({ store, world }: EmulatorState, asked: s.Static<typeof MEMBERS_TAKEN>) {
  const { course, role } = asked;
  const list = {
    select: 'id',
    from: 'members',
    where: [...equal('course', course), ...(role === undefined ? [] : [[IN_GROUP, role] as const])],
    texts: [NAME],
    ids: ['id', 'user', 'email'],
    order: 'rowid',
    key: 'rowid',
  };
  return listPage(store, list, asked, ({ id }: { id: string }) => {
    const member = world.members.get(id) as Member;
    const { user, groups, email, left } = member;
    return { id, user, course: member.course, groups, name: nameOf(member), email, left };
  });
}

function listTokens(state: EmulatorState, asked: s.Static<typeof TOKENS_TAKEN>) {
  const now = state.clock.now();
  const isLive = `ended = '' AND ${EXPIRY} > ${now}`;
  const list = {
    select: 'token',
    from: 'tokens LEFT JOIN members ON members.id = member',
    where: asked.live ? ([[isLive]] as const) : [],
    texts: [NAME],
    ids: ['launch_id', 'tool', 'tokens.course', "coalesce(location, '')", "coalesce(member, '')"],
    sorts: {
      // Ended tokens have no time left.
      expires: `iif(${isLive}, ${EXPIRY}, 0)`,
      person: natural(`coalesce(nullif(${NAME}, ''), member, '')`),
      tool: natural('tool'),
      placement: natural("coalesce(location, '')"),
      issued: 'issued',
    },
    order: '-tokens.rowid',
    key: 'tokens.rowid',
  };
  return listPage(state.store, list, asked, ({ token }: { token: string }) =>
    shownToken(state, state.tokens.get(token) as Token, now),
  );
}

export function keptToken(token: Token, now: number) {
  const { kind, launch_id, tool, course, location, member, issued, last_call } = token;
  const ids = { launch_id, tool, course, location, member };
  return { ...ids, kind, issued, last_call, ended: endOf(token, now) };
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
