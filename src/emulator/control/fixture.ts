import { rowKey, type RowNames } from '../state/row-table.ts';
import { gradePath } from '../service/addresses.ts';
import type { LaunchRequest } from '../service/launches/launches.ts';
import { launch } from '../service/launches/launches.ts';
import { requestProvision } from '../service/launches/provision-request.ts';
import { applySeed, type Seed, type SeedMember } from '../state/seed/seed.ts';
import type { EmulatorState } from '../state/state.ts';
import { changeLms } from './lms.ts';
import { changeTool, endToken } from './tools.ts';

/**
 * Launches of every kind for a conformance client, in tools and courses of their own: they do not
 * affect each other, nor those of another fixture. Only the clock is shared.
 *
 * `student1`, `student2`, `staff`, `account`, the launches with a special LMS behaviour and the spare
 * ones are in one course and, except for `suspendee`, of one tool; each has a member of its own.
 */
export function makeFixture(state: EmulatorState, controlUrl: string, token: string) {
  const names = namesWith(state.newId().slice(0, 8));
  applySeed(state, seedOf(names));
  writeParentRows(state, names);
  const { tools, courses, locations, members, outsiders } = names;
  const claims = (request: LaunchRequest): object => launch(state, request).claims;
  const at = (location: string, member: string): object => claims({ location, member });
  const keyOf = (tool: string): string => state.world.tools.get(tool)?.api_key ?? '';
  changeLms(state, {
    location: locations.refusing,
    refuse: { status: 403, body: LMS_REFUSAL_BODY },
  });
  changeLms(state, { location: locations.scoreScope, scope: 'score' });
  return {
    base_url: state.urls.api,
    fresh: at(locations.fresh, outsiders.fresh),
    staff: at(locations.main, members.staff),
    student1: at(locations.main, members.student1),
    student2: at(locations.main, members.student2),
    api_key: keyOf(tools.main),
    no_lineitem: at(locations.unlinked, members.unlinked),
    unprovisioned: at(locations.unprovisioned, outsiders.unprovisioned),
    non_assessment: at(locations.guide, members.guide),
    account: claims({ location: locations.main, member: members.account, account: true }),
    other_course: at(locations.elsewhere, outsiders.elsewhere),
    other_tool: at(locations.other, members.staff),
    other_api_key: keyOf(tools.other),
    lms_refuses: at(locations.refusing, members.refusing),
    score_scope_only: at(locations.scoreScope, members.scoreScope),
    ended: endedLaunch(state, names),
    suspended: suspendedLaunch(state, names),
    suspended_api_key: keyOf(tools.suspended),
    provision_request: requestProvision(state, { course: courses.copy }).claims,
    never_opened_member: members.neverOpened,
    non_assessment_grade_url: gradeUrl(state, names, courses.main, locations.guide),
    not_placed_grade_url: gradeUrl(state, names, courses.unplaced, locations.main),
    spare: {
      idle: at(locations.main, members.idle),
      leaver: at(locations.main, members.leaver),
      suspendee: at(locations.suspendee, members.suspendee),
    },
    hooks: hooksFor(controlUrl, token, tools.suspendee),
  };
}

const LMS_REFUSAL_BODY = '{"errors":["the grading period is closed"]}';

/** The IDs of one fixture; the tag makes them unique. */
function namesWith(tag: string) {
  const id = (name: string): string => `${tag}-${name}`;
  const ids = <Name extends string>(kind: string, ...names: Name[]): Record<Name, string> =>
    Object.fromEntries(names.map((name) => [name, id(`${kind}-${name}`)])) as Record<Name, string>;
  const lms = ['unlinked', 'refusing', 'scoreScope'] as const;
  return {
    tools: ids('tool', 'main', 'other', 'suspended', 'suspendee'),
    courses: ids('course', 'main', 'fresh', 'unready', 'elsewhere', 'unplaced', 'parent', 'copy'),
    locations: ids(
      'location',
      ...(['main', 'guide', 'other', 'suspended', 'suspendee', ...lms] as const),
      ...(['fresh', 'unprovisioned', 'elsewhere', 'unplaced', 'parent', 'copy'] as const),
    ),
    members: ids(
      'member',
      ...(['staff', 'student1', 'student2', 'guide', 'account', 'neverOpened', ...lms] as const),
      ...(['ended', 'suspended', 'idle', 'leaver', 'suspendee'] as const),
    ),
    outsiders: ids('member', 'fresh', 'unprovisioned', 'elsewhere', 'unplaced'),
  };
}

type Names = ReturnType<typeof namesWith>;

function seedOf(names: Names): Seed {
  const { tools, courses, locations, outsiders } = names;
  const ofMain = { tool: tools.main };
  return {
    tools: Object.values(tools).map((id) => ({ id })),
    courses: [
      mainCourse(names),
      {
        id: courses.fresh,
        members: [staff(outsiders.fresh)],
        locations: [{ id: locations.fresh, ...ofMain }],
      },
      {
        id: courses.unready,
        provisioned: false,
        members: [staff(outsiders.unprovisioned)],
        locations: [{ id: locations.unprovisioned, ...ofMain }],
      },
      {
        id: courses.elsewhere,
        members: [staff(outsiders.elsewhere)],
        locations: [{ id: locations.elsewhere, ...ofMain }],
      },
      {
        id: courses.unplaced,
        members: [{ id: outsiders.unplaced }],
        locations: [{ id: locations.unplaced, tool: tools.other }],
      },
      { id: courses.parent, locations: [{ id: locations.parent, ...ofMain }] },
      {
        id: courses.copy,
        copy_of: courses.parent,
        locations: [{ id: locations.copy, copy_of: locations.parent, ...ofMain }],
      },
    ],
  };
}

function mainCourse({ tools, courses, locations, members }: Names): Seed['courses'][number] {
  const isStaff = new Set([members.staff, members.guide]);
  return {
    id: courses.main,
    members: Object.values(members).map((id) => (isStaff.has(id) ? staff(id) : { id })),
    locations: [
      { id: locations.main, tool: tools.main },
      { id: locations.unlinked, tool: tools.main, column: false },
      { id: locations.refusing, tool: tools.main },
      { id: locations.scoreScope, tool: tools.main },
      { id: locations.guide, tool: tools.main, type: 'resource' },
      { id: locations.other, tool: tools.other },
      { id: locations.suspended, tool: tools.suspended },
      { id: locations.suspendee, tool: tools.suspendee },
    ],
  };
}

function staff(id: string): SeedMember {
  return { id, groups: ['instructor'] };
}

function writeParentRows(state: EmulatorState, { tools, courses, locations }: Names): void {
  const parent = { tool: tools.main, course: courses.parent, location: locations.parent };
  for (const kind of ['context', 'location'] as const) {
    const names: RowNames = { kind, ...parent, member: '' };
    const body = Buffer.from(JSON.stringify({ from: `the previous ${kind}` }));
    state.rows.write({ ...names, key: rowKey(names) }, body, 'fixture');
  }
}

function endedLaunch(state: EmulatorState, { locations, members }: Names): object {
  const { token, claims } = launch(state, { location: locations.main, member: members.ended });
  endToken(state, { token: token.token });
  return claims;
}

/** The tool is suspended after the launch, as on the real service. */
function suspendedLaunch(state: EmulatorState, { tools, locations, members }: Names): object {
  const request = { location: locations.suspended, member: members.suspended };
  const { claims } = launch(state, request);
  changeTool(state, { tool: tools.suspended, action: 'suspend' });
  return claims;
}

function gradeUrl(state: EmulatorState, names: Names, course: string, location: string): string {
  const { members, outsiders, courses, tools } = names;
  const member = course === courses.main ? members.student1 : outsiders.unplaced;
  const parts = { course, location, member, tool: tools.main, user: '', check: '' };
  return state.urls.api + gradePath(state, { shape: 'contexts', ...parts });
}

/** Control requests for scripts; values that begin with $ are placeholders. */
function hooksFor(url: string, token: string, suspendee: string): Record<string, object> {
  const hook = (path: string, body: object): object => ({
    method: 'POST',
    url: url + path,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });
  return {
    advance_clock: hook('clock', { advance_seconds: '$seconds' }),
    end_token: hook('token/end', { token: '$token' }),
    remove_member: hook('member/remove', { member: '$member' }),
    suspend_tool: hook('tool', { tool: suspendee, action: 'suspend' }),
  };
}
