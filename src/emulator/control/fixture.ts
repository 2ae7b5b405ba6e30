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
  const tag = state.newId().slice(0, 8);
  /** The IDs of one fixture; the tag makes them unique. */
  const id: Named = (name) => `${tag}-${name}`;
  applySeed(state, seedOf(id));
  writeParentRows(state, id);
  const minted = (location: string, member: string, more: LaunchRequest = {}) =>
    launch(state, { location: id(location), member: id(member), ...more });
  const at = (location: string, member: string): object => minted(location, member).claims;
  const keyOf = (tool: string): string => state.world.tools.get(id(tool))?.api_key ?? '';
  const refuse = { status: 403, body: LMS_REFUSAL_BODY };
  changeLms(state, { location: id('location-refusing'), refuse });
  changeLms(state, { location: id('location-score-scope'), scope: 'score' });
  const ended = minted('location-main', 'member-ended');
  endToken(state, { token: ended.token.token });
  const suspended = at('location-suspended', 'member-suspended');
  // After the launch, as on the real service.
  changeTool(state, { tool: id('tool-suspended'), action: 'suspend' });
  const gradeUrl = (course: string, location: string, member: string): string => {
    const placed = { course: id(course), location: id(location), member: id(member) };
    const parts = {
      shape: 'contexts',
      ...placed,
      tool: id('tool-main'),
      user: '',
      check: '',
    } as const;
    return state.urls.api + gradePath(state, parts);
  };
  return {
    base_url: state.urls.api,
    fresh: at('location-fresh', 'member-fresh'),
    staff: at('location-main', 'member-staff'),
    student1: at('location-main', 'member-student1'),
    student2: at('location-main', 'member-student2'),
    api_key: keyOf('tool-main'),
    no_lineitem: at('location-unlinked', 'member-unlinked'),
    unprovisioned: at('location-unprovisioned', 'member-unprovisioned'),
    non_assessment: at('location-guide', 'member-guide'),
    account: minted('location-main', 'member-account', { account: true }).claims,
    other_course: at('location-elsewhere', 'member-elsewhere'),
    other_tool: at('location-other', 'member-staff'),
    other_api_key: keyOf('tool-other'),
    lms_refuses: at('location-refusing', 'member-refusing'),
    score_scope_only: at('location-score-scope', 'member-score-scope'),
    ended: ended.claims,
    suspended,
    suspended_api_key: keyOf('tool-suspended'),
    provision_request: requestProvision(state, { course: id('course-copy') }).claims,
    never_opened_member: id('member-never-opened'),
    non_assessment_grade_url: gradeUrl('course-main', 'location-guide', 'member-student1'),
    not_placed_grade_url: gradeUrl('course-unplaced', 'location-main', 'member-unplaced'),
    spare: {
      idle: at('location-main', 'member-idle'),
      leaver: at('location-main', 'member-leaver'),
      suspendee: at('location-suspendee', 'member-suspendee'),
    },
    hooks: hooksFor(controlUrl, token, id('tool-suspendee')),
  };
}

const LMS_REFUSAL_BODY = '{"errors":["the grading period is closed"]}';

/** Makes the ID of a name. */
type Named = (name: string) => string;

const STUDENTS =
  'student1 student2 account never-opened unlinked refusing score-scope ended suspended idle leaver suspendee';

function seedOf(id: Named): Seed {
  const main = { tool: id('tool-main') };
  const staff = (name: string): SeedMember => ({ id: id(name), groups: ['instructor'] });
  /** A course with one placement and one member of staff. */
  const alone = (name: string, more: object = {}) => ({
    id: id(`course-${name}`),
    members: [staff(`member-${name}`)],
    locations: [{ id: id(`location-${name}`), ...main }],
    ...more,
  });
  const students = STUDENTS.split(' ').map((name) => ({ id: id(`member-${name}`) }));
  return {
    tools: ['main', 'other', 'suspended', 'suspendee'].map((name) => ({ id: id(`tool-${name}`) })),
    courses: [
      {
        id: id('course-main'),
        members: [...students, staff('member-staff'), staff('member-guide')],
        locations: [
          { id: id('location-main'), ...main },
          { id: id('location-unlinked'), ...main, column: false },
          { id: id('location-refusing'), ...main },
          { id: id('location-score-scope'), ...main },
          { id: id('location-guide'), ...main, type: 'resource' },
          { id: id('location-other'), tool: id('tool-other') },
          { id: id('location-suspended'), tool: id('tool-suspended') },
          { id: id('location-suspendee'), tool: id('tool-suspendee') },
        ],
      },
      alone('fresh'),
      alone('unprovisioned', { provisioned: false }),
      alone('elsewhere'),
      {
        id: id('course-unplaced'),
        members: [{ id: id('member-unplaced') }],
        locations: [{ id: id('location-unplaced'), tool: id('tool-other') }],
      },
      { id: id('course-parent'), locations: [{ id: id('location-parent'), ...main }] },
      {
        id: id('course-copy'),
        copy_of: id('course-parent'),
        locations: [{ id: id('location-copy'), copy_of: id('location-parent'), ...main }],
      },
    ],
  };
}

function writeParentRows(state: EmulatorState, id: Named): void {
  const names = {
    tool: id('tool-main'),
    course: id('course-parent'),
    location: id('location-parent'),
  };
  for (const kind of ['context', 'location'] as const) {
    const row: RowNames = { kind, ...names, member: '' };
    const body = Buffer.from(JSON.stringify({ from: `the previous ${kind}` }));
    state.rows.write({ ...row, key: rowKey(row) }, body, 'fixture');
  }
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
