import { schemasOf } from '../../control-api/schemas.ts';
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import type { EmulatorState } from '../state/state.ts';
import { approve, deprecate, publish, republish, versionIn } from '../state/versions.ts';
import { type Course, type Member, type Tool, TOOL, VISIBILITY } from '../state/world.ts';
import { bodyOf } from '../http/messages.ts';
import { type TakenRule, notFound, requireFound, wrongBody } from '../http/refusals.ts';
import { acceptedLocations } from '../service/external/locations-calls.ts';
import { uploadCode, refuseFound } from '../service/hosted/upload.ts';
import { needs, operation } from './operation.ts';
import { CODE, shownCode } from './state.ts';
import type { EndReason } from '../state/records.ts';
import { checkLocations, checkManifest, checkToolFiles } from '../../contract/index.ts';
import { type JsonObject, fromNative } from '../../json/index.ts';

export const TOOL_SIDE_OPERATIONS = {
  'POST locations': operation({
    summary: "the part of a tool's locations answer that the service accepts",
    takes: s.object({ answer: s.anyObject }),
    answers: s.object({ locations: s.any, grouped_locations: s.any, message: s.nullable(s.text) }),
    run: (_control, { answer }) => {
      refuseFound(checkLocations(jsonObject(answer)));
      return acceptedLocations(answer);
    },
  }),
};

type Body = Readonly<Record<string, unknown>>;

function jsonObject(value: Body): JsonObject {
  return fromNative(value) as JsonObject;
}

const ENDED = { ended: s.described(s.count, 'how many tokens ended') };

const CHANGE = s.object({
  'tool?': s.nonEmptyText,
  action: s.oneOf(
    'suspend',
    'activate',
    'archive',
    'replace-code',
    'rotate-key',
    'publish',
    'approve',
    'deprecate',
    'pilot',
  ),
  'version?': s.described(s.anyNumber, 'an existing one; for publish, defaults to a new one'),
  'visibility?': s.described(VISIBILITY, 'of publish'),
  'files?': s.described(
    s.list(s.object({ path: s.nonEmptyText, size: s.anyNumber })),
    'of publish: the code of a hosted tool, which is refused as the dashboard would',
  ),
  'zip_size?': s.anyNumber,
  'manifest?': s.anyObject,
});
export type ToolChange = s.Static<typeof CHANGE>;

/** Requires a field for some actions. */
const actionNeeds = (actions: readonly ToolChange['action'][], name: string): s.JsonSchema => ({
  if: { properties: { action: { enum: actions } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: [name] },
});

const TOOL_RULES: readonly TakenRule<ToolChange>[] = [
  { schema: actionNeeds(['publish'], 'visibility'), message: 'visibility is missing' },
  {
    schema: actionNeeds(['approve', 'pilot', 'deprecate'], 'version'),
    message: 'version must be a number',
  },
];

const UPLOAD = s.object({
  ...schemasOf(TAKEN.upload),
  'replaces?': s.described(s.count, 'the version to replace in place, if it is the newest'),
});
const ADOPTION = s.object(schemasOf(TAKEN.adopt));
const TOKEN_END = s.object({ 'token?': s.nonEmptyText, ...schemasOf(TAKEN.tokenEnd) });

export const TOOL_OPERATIONS = {
  'POST key': operation({
    summary: 'the API key of a tool, by default of the first that has one',
    takes: s.object(schemasOf(TAKEN.key)),
    answers: s.object({ tool: s.text, api_key: s.text, origin: s.text }),
    run: ({ state }, { tool }) => keyOf(state, tool),
  }),
  'POST tool': operation({
    summary: 'change a tool as the dashboard does, by default the first',
    takes: CHANGE,
    rules: TOOL_RULES,
    answers: s.object({ tool: TOOL, ...ENDED }),
    run: ({ state }, change) => changeTool(state, change),
  }),
  'POST tool/upload': operation({
    summary: 'upload the zip of the code of a hosted tool, by default of the first',
    takes: UPLOAD,
    raw: ['application/zip'],
    answers: s.object({ tool: TOOL, ...ENDED, code: CODE }),
    run: async ({ state }, asked, request) => {
      const zip = Buffer.from(await bodyOf(request));
      const { tool: id, visibility = 'private', version_only: versionOnly = false } = asked;
      const { watch: isWatched = false, replaces } = asked;
      const how = { tool: id, visibility, versionOnly, isWatched, replaces };
      const { before, tool, code } = await uploadCode(state, how, zip);
      const ended =
        code.version === replaces
          ? endVersion(state, tool, replaces)
          : endUnderCourses(state, before, tool);
      return { tool, ended, code: shownCode(code) };
    },
  }),
  'POST adopt': operation({
    summary: 'let a course run the version of a tool that a sharing code names',
    takes: ADOPTION,
    answers: s.object({ version: s.count, ...ENDED }),
    run: ({ state }, asked) => adoptVersion(state, asked),
  }),
  'POST member/groups': operation({
    summary: 'change the groups of a member',
    takes: s.object({ member: s.nonEmptyText, groups: s.list(s.text) }),
    answers: s.object(ENDED),
    run: ({ state }, { member, groups }) =>
      changeMember(state, member, { groups }, 'membership changed'),
  }),
  'POST member/remove': operation({
    summary: 'let a member leave the course',
    takes: s.object({ member: s.nonEmptyText }),
    answers: s.object(ENDED),
    run: ({ state }, { member }) => changeMember(state, member, { left: true }, 'left the course'),
  }),
  'POST token/end': operation({
    summary: 'end one token, by itself or by its launch',
    takes: TOKEN_END,
    rules: [{ schema: needs('token', 'launch_id'), message: 'token is missing' }],
    answers: s.object(ENDED),
    run: ({ state }, asked) => endToken(state, asked),
  }),
};

/** The key of a tool; by default of the first one that is placed, which a launch takes as well. */
function keyOf(state: EmulatorState, id: string | undefined) {
  const { tools } = state.world;
  const keyed = tools.all(
    "api_key <> ''",
    [],
    `status <> 'active', coalesce((SELECT min(rowid) FROM locations WHERE tool = tools.id), 1e9), rowid`,
  );
  const [first] = keyed;
  const tool = id === undefined ? first : tools.get(id);
  if (tool === undefined) throw notFound('tool', id ?? 'with an API key');
  requireKey(tool);
  return { tool: tool.id, api_key: tool.api_key, origin: new URL(state.urls.api).origin };
}

function requireKey({ id, api_key: key }: Tool): void {
  if (key === '') throw wrongBody(`tool ${id} has no API key: it is hosted`);
}

type ToolAction = (state: EmulatorState, tool: Tool, change: ToolChange) => Tool;

const ACTIONS: Readonly<Record<ToolChange['action'], ToolAction>> = {
  suspend: (_state, tool) => ({ ...tool, status: 'suspended' }),
  archive: (_state, tool) => ({ ...tool, status: 'archived' }),
  activate: (_state, tool) => ({ ...tool, status: 'active' }),
  'replace-code': (_state, tool) => tool,
  'rotate-key': (state, tool) => {
    requireKey(tool);
    return { ...tool, api_key: state.newToken('key_') };
  },
  publish: (_state, tool, change) => {
    const { visibility = 'private', files, zip_size: zipSize, manifest } = change;
    if (tool.hosted && files !== undefined) {
      refuseFound(checkToolFiles({ files, zipSize }));
      if (manifest !== undefined) refuseFound(checkManifest(jsonObject(manifest)));
    }
    if (change.version === undefined) return publish(tool, visibility);
    return republish(tool, versionNumber(tool, change), visibility);
  },
  approve: (_state, tool, change) => {
    const number = versionNumber(tool, change);
    const version = tool.versions.find((each) => each.number === number);
    if (version?.state !== 'in_review') throw wrongBody(`version ${number} is not in review`);
    return approve(tool, number);
  },
  pilot: (_state, tool, change) => ({ ...tool, pilot: versionNumber(tool, change) }),
  deprecate: (_state, tool, change) => deprecate(tool, versionNumber(tool, change)),
};

/** Actions that end all tokens of a tool, with the reason ("States: launch token"). */
const END_REASONS: Readonly<Record<string, EndReason>> = {
  suspend: 'tool suspended',
  archive: 'tool archived',
  'replace-code': 'code replaced',
};

/** Applies an action to a tool. */
export function changeTool(state: EmulatorState, change: ToolChange) {
  const { action } = change;
  const { tools } = state.world;
  const meant = action === 'rotate-key' ? "api_key <> ''" : 'true';
  const id = change.tool ?? tools.first(meant)?.id ?? '';
  const tool = requireFound(tools.get(id), 'tool', id);
  state.hosted.watched.delete(id);
  const changed = ACTIONS[action](state, tool, change);
  if (changed !== tool) tools.put(changed);
  const reason = END_REASONS[action];
  const ended =
    reason === undefined
      ? endUnderCourses(state, tool, changed)
      : state.tokens.end(reason, 'tool = ?', [id]);
  return { tool: changed, ended };
}

/** Ends the tokens of the courses that run another version of the tool than before; returns how many. */
function endUnderCourses(state: EmulatorState, before: Tool, after: Tool): number {
  const replaced = state.world.courses
    .all()
    .filter((course) => versionIn(before, course)?.number !== versionIn(after, course)?.number);
  return endReplaced(state, after, replaced);
}

/** Ends the tokens of the courses that run a version, whose code was replaced in place. */
function endVersion(state: EmulatorState, tool: Tool, version: number): number {
  const courses = state.world.courses.all();
  return endReplaced(
    state,
    tool,
    courses.filter((course) => versionIn(tool, course)?.number === version),
  );
}

/** "A hosted tool's code is replaced under the course", when the course runs another version. */
function endReplaced(state: EmulatorState, { id, hosted }: Tool, courses: readonly Course[]) {
  if (!hosted) return 0;
  const replaced = JSON.stringify(courses.map((course) => course.id));
  const ofCourses = 'tool = ? AND course IN (SELECT value FROM json_each(?))';
  return state.tokens.end('code replaced', ofCourses, [id, replaced]);
}

function versionNumber(tool: Tool, { version }: ToolChange): number {
  const isThere = tool.versions.some((each) => each.number === version);
  if (version !== undefined && isThere) return version;
  throw notFound('version', String(version));
}

/** "A code names the version a course adopts: current, pilot, or a number." */
function adoptVersion(state: EmulatorState, asked: s.Static<typeof ADOPTION>) {
  const { courses, tools } = state.world;
  const course = requireFound(courses.get(asked.course), 'course', asked.course);
  const tool = requireFound(tools.get(asked.tool), 'tool', asked.tool);
  const adopted = { ...course, codes: { ...course.codes, [tool.id]: asked.code } };
  const version = requireFound(versionIn(tool, adopted), 'version', asked.code);
  courses.put(adopted);
  state.hosted.watched.delete(tool.id);
  const isOther = versionIn(tool, course)?.number !== version.number;
  const ended = endReplaced(state, tool, isOther ? [course] : []);
  return { version: version.number, ended };
}

/** "A token also ends when the user's membership changes." The rows stay. */
function changeMember(
  state: EmulatorState,
  id: string,
  change: Pick<Member, 'left'> | Pick<Member, 'groups'>,
  reason: EndReason,
) {
  const { members } = state.world;
  const member = requireFound(members.get(id), 'member', id);
  members.put({ ...member, ...change });
  const { user, course } = member;
  return { ended: state.tokens.end(reason, 'user = ? AND course = ?', [user, course]) };
}

/** Ends a token, given by itself or by its launch; 0 if it had ended already. */
export function endToken(
  state: EmulatorState,
  { token, launch_id: launch }: s.Static<typeof TOKEN_END>,
) {
  const meant =
    launch === undefined ? state.tokens.get(token ?? '') : state.tokens.ofLaunch(launch);
  if (meant === undefined) {
    throw notFound(
      launch === undefined ? 'such token: it was not issued here' : 'launch',
      launch ?? '',
    );
  }
  return { ended: state.tokens.end('ended by hand', 'token = ?', [meant.token]) };
}
