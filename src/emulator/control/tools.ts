import type { EmulatorState } from '../state/state.ts';
import { endTokens } from '../state/tokens.ts';
import { approve, deprecate, publish, republish, versionIn } from '../state/versions.ts';
import type { Course, Member, Tool } from '../state/world.ts';
import {
  notFound,
  numberIn,
  wordField,
  optionalText,
  text,
  wrongBody,
  type Body,
} from '../http/fields.ts';
import { refuseUpload } from './tool-side.ts';
import type { EndReason, Token } from '../state/records.ts';

/** A tool's API key and its origin; defaults to the first tool with a key. */
export function keyOf(state: EmulatorState, id: string | undefined) {
  const { tools } = state.world;
  const keyed = [...tools.values()].find(({ apiKey }) => apiKey !== '');
  const tool = id === undefined ? keyed : tools.get(id);
  if (tool === undefined) throw notFound('tool', id ?? 'with an API key');
  if (tool.apiKey === '') throw wrongBody(`tool ${tool.id} has no API key: it is hosted`);
  return { tool: tool.id, api_key: tool.apiKey, origin: new URL(state.urls.api).origin };
}

type ToolAction = (state: EmulatorState, tool: Tool, body: Body) => Tool;

/** Actions of the dashboard on a tool. */
const ACTIONS: Readonly<Record<string, ToolAction>> = {
  suspend: (_state, tool) => ({ ...tool, status: 'suspended' }),
  archive: (_state, tool) => ({ ...tool, status: 'archived' }),
  activate: (_state, tool) => ({ ...tool, status: 'active' }),
  'replace-code': (_state, tool) => tool,
  'rotate-key': (state, tool) =>
    tool.hosted ? tool : { ...tool, apiKey: `key_${state.secret()}` },
  publish: (_state, tool, body) => {
    if (tool.hosted && body.files !== undefined) refuseUpload(body);
    const visibility = wordField(body, 'visibility', ['private', 'unlisted', 'public']);
    if (body.version === undefined) return publish(tool, visibility);
    return republish(tool, versionNumber(tool, body), visibility);
  },
  approve: (_state, tool, body) => {
    const number = versionNumber(tool, body);
    const version = tool.versions.find((each) => each.number === number);
    if (version?.state !== 'in_review') throw wrongBody(`version ${number} is not in review`);
    return approve(tool, number);
  },
  pilot: (_state, tool, body) => ({ ...tool, pilot: versionNumber(tool, body) }),
  deprecate: (_state, tool, body) => deprecate(tool, versionNumber(tool, body)),
};

/** Actions that end all tokens of a tool, with the reason ("States: launch token"). */
const END_REASONS: Readonly<Record<string, EndReason>> = {
  suspend: 'tool suspended',
  archive: 'tool archived',
  'replace-code': 'code replaced',
};

/** Applies an action to a tool; defaults to the first one. */
export function changeTool(state: EmulatorState, body: Body) {
  const action = wordField(body, 'action', Object.keys(ACTIONS));
  const { tools } = state.world;
  const id = optionalText(body, 'tool') ?? tools.values().next().value?.id ?? '';
  const tool = tools.get(id);
  if (tool === undefined) throw notFound('tool', id);
  const changed = (ACTIONS[action] as ToolAction)(state, tool, body);
  if (changed !== tool) tools.set(id, changed);
  const reason = END_REASONS[action];
  const ended =
    reason === undefined
      ? endUnderCourses(state, tool, changed)
      : endTokens(state, reason, (token) => token.tool === id);
  return { tool: shownTool(changed), ended };
}

/** A tool, in its JSON form. */
export function shownTool({ id, status, apiKey, current, pilot, versions }: Tool) {
  return { id, status, api_key: apiKey, current, pilot, versions };
}

/** Ends the tokens of the courses that run another version of the tool than before; returns how many. */
export function endUnderCourses(state: EmulatorState, before: Tool, after: Tool): number {
  const courses = [...state.world.courses.values()];
  const replaced = courses.filter((course) => runsOtherVersion(course, before, after));
  return endReplaced(state, after.id, replaced);
}

/** "A hosted tool's code is replaced under the course", when the course runs another version. */
function runsOtherVersion(course: Course, before: Tool, after: Tool): boolean {
  return before.hosted && versionIn(before, course)?.number !== versionIn(after, course)?.number;
}

function endReplaced(state: EmulatorState, tool: string, courses: readonly Course[]): number {
  const replaced = new Set(courses.map(({ id }) => id));
  const isMeant = (token: { tool: string; course: string }): boolean =>
    token.tool === tool && replaced.has(token.course);
  return endTokens(state, 'code replaced', isMeant);
}

function versionNumber(tool: Tool, body: Body): number {
  const number = numberIn(body, 'version');
  if (tool.versions.some((each) => each.number === number)) return number;
  throw notFound('version', String(number));
}

/** "A code names the version a course adopts: current, pilot, or a number." */
export function adoptVersion(state: EmulatorState, body: Body): { version: number; ended: number } {
  const { courses, tools } = state.world;
  const course = courses.get(text(body, 'course'));
  if (course === undefined) throw notFound('course', text(body, 'course'));
  const tool = tools.get(text(body, 'tool'));
  if (tool === undefined) throw notFound('tool', text(body, 'tool'));
  const adopted = { ...course, codes: { ...course.codes, [tool.id]: text(body, 'code') } };
  const version = versionIn(tool, adopted);
  if (version === undefined) throw notFound('version', text(body, 'code'));
  courses.set(course.id, adopted);
  const isOther = tool.hosted && versionIn(tool, course)?.number !== version.number;
  const ended = isOther ? endReplaced(state, tool.id, [course]) : 0;
  return { version: version.number, ended };
}

/** The user leaves the course: the member's tokens for it end, the rows stay. */
export function removeMember(state: EmulatorState, id: string): { ended: number } {
  const member = state.world.members.get(id);
  if (member === undefined) throw notFound('member', id);
  state.world.members.set(id, { ...member, left: true });
  return { ended: endTokens(state, 'left the course', isTokenOf(member)) };
}

/** "A token also ends when the user's membership changes." */
export function changeGroups(state: EmulatorState, body: Body): { ended: number } {
  const { members } = state.world;
  const member = members.get(text(body, 'member'));
  if (member === undefined) throw notFound('member', text(body, 'member'));
  const { groups } = body;
  if (!Array.isArray(groups) || groups.some((group) => typeof group !== 'string')) {
    throw wrongBody('groups must be a list of strings');
  }
  members.set(member.id, { ...member, groups: groups as string[] });
  return { ended: endTokens(state, 'membership changed', isTokenOf(member)) };
}

function isTokenOf({ user, course }: Member): (token: { user: string; course: string }) => boolean {
  return (token) => token.user === user && token.course === course;
}

/** Ends one token by hand, named itself or by its launch; 0 where it had ended already. */
export function endToken(state: EmulatorState, body: Body): { ended: number } {
  const launch = optionalText(body, 'launch_id');
  const isMeant = (each: Token): boolean =>
    launch === undefined ? each.token === body.token : each.launchId === launch;
  if (launch === undefined) text(body, 'token');
  if (![...state.tokens.values()].some(isMeant)) {
    throw notFound(
      launch === undefined ? 'such token: it was not issued here' : 'launch',
      launch ?? '',
    );
  }
  return { ended: endTokens(state, 'ended by hand', isMeant) };
}
