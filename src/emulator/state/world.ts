import { isLoopback, STAFF_GROUPS } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';
import type { StoreTable } from '../store/table.ts';

/** The URL of a tool's server, if it can be called without a user name. */
function toolUrl(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain = url?.protocol === 'http:' || url?.protocol === 'https:';
  return isPlain && url.username + url.password === '' ? url : undefined;
}

/** Whether the emulator may call a URL of a tool: on this machine, or https. */
export function isToolAddress(address: string): boolean {
  const url = toolUrl(address);
  return url !== undefined && (url.protocol === 'https:' || isLoopback(url.origin));
}

/** A host name without a dot, or a private address: the tool may be another container. */
const NETWORK =
  /^(?:[\w-]+|10(?:\.\d+){3}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|192\.168(?:\.\d+){2}|\[f[cd][\da-f:]+\])$/;

/** Whether an emulator that is open to its network may call a URL of a tool. */
export function isNetworkAddress(address: string): boolean {
  return isToolAddress(address) || NETWORK.test(toolUrl(address)?.hostname ?? '');
}

/** "Tool status". What an archived tool may do is not shown; here it is treated as suspended. */
export const TOOL_STATUS = s.oneOf('active', 'suspended', 'archived');

export const VISIBILITY = s.oneOf('private', 'unlisted', 'public');

/** "Tool version visibility and review". */
export const TOOL_VERSION = {
  number: s.count,
  visibility: VISIBILITY,
  state: s.oneOf('in_review', 'published'),
  deprecated: s.bool,
};
const VERSION = s.object(TOOL_VERSION);
export type ToolVersion = s.Static<typeof VERSION>;

export const TOOL_ADDRESS = s.checked(
  isToolAddress,
  'a URL of the tool',
  'http on loopback, such as http://127.0.0.1:3000/launch, or https anywhere',
);

export const TOOL_SERVER = s.checked(
  isNetworkAddress,
  'a URL of the tool',
  'http on loopback or, with --host, to a private address or a host name without a dot; or https',
);

const ID_PATTERN = '[A-Za-z0-9][A-Za-z0-9._~-]*';

/** IDs are used in URLs without encoding. The ID of a copy is made of others, so it may be long. */
export const ID = s.typed<string>({
  type: 'string',
  pattern: `^${ID_PATTERN}$`,
  title: 'an ID',
  description: 'letters, digits, ".", "_", "~" or "-", the first a letter or digit',
});
export const ID_OR_NONE = s.typed<string>({ ...ID, pattern: `^(${ID_PATTERN})?$` });

/** The key of a row: its kind, its tool and the IDs of the kind. */
export const ROW_KEY = s.typed<string>({
  type: 'string',
  pattern: `^((context|location|member)/${ID_PATTERN}|member_location/${ID_PATTERN}/${ID_PATTERN})/${ID_PATTERN}$`,
  title: 'the key of a row',
  description: 'such as member/TOOL/MEMBER',
});

export const TOOL = s.object({
  id: ID,
  name: s.text,
  /** Hosted by the service, else external: run on its own server. */
  hosted: s.bool,
  status: TOOL_STATUS,
  /** Empty for a hosted tool ("Authentication", 3). */
  api_key: s.text,
  versions: s.list(VERSION),
  /** The version numbers behind the codes `current` and `pilot`; 0 where there is none. */
  current: s.anyNumber,
  pilot: s.anyNumber,
  'callback?': TOOL_ADDRESS,
  'provision_url?': TOOL_SERVER,
  'locations_url?': TOOL_SERVER,
});
export type Tool = s.Static<typeof TOOL>;

export const COURSE = s.object({
  id: ID,
  title: s.text,
  /** The LMS installation, for the claim `organization.deployment`. */
  deployment: s.text,
  /** The course that this one was copied from, or ''. */
  parent: ID_OR_NONE,
  /** The sharing code by which the course took a tool: `current`, `pilot` or a number; by tool. */
  codes: s.mapOf(s.text),
});
export type Course = s.Static<typeof COURSE>;

/** A gradebook column of the LMS, as the LMS names it, with its points possible. */
const COLUMN = s.object({ lineitem: s.text, points: s.anyNumber });
export type GradebookColumn = s.Static<typeof COLUMN>;

/** A placement of a tool in a course. */
export const LOCATION_FIELDS = {
  id: ID,
  course: ID,
  tool: ID,
  /** The tool's own ID of the destination. */
  extid: s.text,
  /** `assessment`, or another ("Location types other than assessment: not shown"). */
  ...s.texts('type', 'title', 'resource_link'),
  /** The location of the previous course that this one was copied from, or ''. */
  parent: ID_OR_NONE,
  /** Recorded at the location's first placement in the course; null when it was never deep-linked. */
  column: s.nullable(COLUMN),
  /** Whether launches of an assessment location carry a `grade.submit`. */
  grade_url: s.bool,
};
export const LOCATION = s.object(LOCATION_FIELDS);
export type Location = s.Static<typeof LOCATION>;

/** A user's membership of a course. */
export const MEMBER = s.object({
  id: ID,
  user: ID,
  course: ID,
  groups: s.list(s.text),
  ...s.texts('given_name', 'family_name', 'email'),
  /** The user's identifier at the LMS, which is never handed to a tool. */
  lms_user: s.text,
  left: s.bool,
});
export type Member = s.Static<typeof MEMBER>;

/** Whether a member is course staff. */
export function isStaffMember(member: Member): boolean {
  return member.groups.some((group) => (STAFF_GROUPS as readonly string[]).includes(group));
}

/** The condition of courses where a tool has a placement. */
export const PLACED = 'id IN (SELECT course FROM locations WHERE tool = ?)';

/** The same, of any tool for NULL. */
export const PLACED_ANY = 'id IN (SELECT course FROM locations WHERE tool = coalesce(?, tool))';

/** The condition of members of a group. */
export const IN_GROUP = 'EXISTS (SELECT 1 FROM json_each(groups) WHERE value = ?)';

/** The condition of members of course staff. */
export const IS_STAFF = `EXISTS (SELECT 1 FROM json_each(groups) WHERE value IN ('${STAFF_GROUPS.join("', '")}'))`;

/** Tools, courses, their locations and members. */
export class World {
  readonly tools: StoreTable<Tool>;
  readonly courses: StoreTable<Course>;
  readonly locations: StoreTable<Location>;
  readonly members: StoreTable<Member>;

  constructor({ tools, courses, locations, members }: Pick<World, WorldTable>) {
    this.tools = tools;
    this.courses = courses;
    this.locations = locations;
    this.members = members;
  }

  /** The membership of a user in a course; undefined if there is none or the user has left. */
  memberOf(course: string, user: string): Member | undefined {
    return this.members.first('course = ? AND user = ? AND NOT "left"', [course, user]);
  }

  presentMember(course: string, id: string): Member | undefined {
    const member = this.members.get(id);
    return member?.course === course && !member.left ? member : undefined;
  }

  /** The locations of a course, of one tool or of all. */
  locationsOf(course: string, tool?: string): Location[] {
    if (tool === undefined) return this.locations.all('course = ?', [course]);
    return this.locations.all('course = ? AND tool = ?', [course, tool]);
  }

  /** Whether the tool has a placement in the course at all. */
  isPlaced(tool: string, course: string): boolean {
    return this.locations.first('course = ? AND tool = ?', [course, tool]) !== undefined;
  }

  toolOfKey(key: string): Tool | undefined {
    return key === '' ? undefined : this.tools.first('api_key = ?', [key]);
  }
}

type WorldTable = 'tools' | 'courses' | 'locations' | 'members';
