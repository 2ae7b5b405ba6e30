import { STAFF_GROUPS } from '../../contract/index.ts';
import type { Collection } from '../store/collection.ts';
import type { Store } from '../store/store.ts';

/** "Tool status". What an archived tool may do is not shown; here it is treated as suspended. */
export type ToolStatus = 'active' | 'archived' | 'suspended';

/** "Tool version visibility and review". */
export interface ToolVersion {
  readonly number: number;
  readonly visibility: 'private' | 'unlisted' | 'public';
  readonly state: 'in_review' | 'published';
  readonly deprecated: boolean;
}

export interface Tool {
  readonly id: string;
  readonly name: string;
  /** Hosted by the service, else external: run on its own server. */
  readonly hosted: boolean;
  readonly status: ToolStatus;
  /** Empty for a hosted tool ("Authentication", 3). */
  readonly apiKey: string;
  readonly versions: readonly ToolVersion[];
  /** The version numbers behind the codes `current` and `pilot`; 0 where there is none. */
  readonly current: number;
  readonly pilot: number;
  /** URLs of an external tool; absent if the seed has none. */
  readonly callback?: string;
  readonly provisionUrl?: string;
  readonly locationsUrl?: string;
}

export interface Course {
  readonly id: string;
  readonly title: string;
  /** The LMS installation, for the claim `organization.deployment`. */
  readonly deployment: string;
  /** The course that this one was copied from, or ''. */
  readonly parent: string;
  /** The sharing code by which the course took a tool: `current`, `pilot` or a number; by tool. */
  readonly codes: Readonly<Record<string, string>>;
}

/** A gradebook column of the LMS, as the LMS names it. */
export interface GradebookColumn {
  readonly lineitem: string;
  /** Points possible. */
  readonly points: number;
}

/** A placement of a tool in a course. */
export interface Location {
  readonly id: string;
  readonly course: string;
  readonly tool: string;
  /** The tool's own ID of the destination. */
  readonly extid: string;
  /** `assessment`, or another ("Location types other than assessment: not shown"). */
  readonly type: string;
  readonly title: string;
  readonly resourceLink: string;
  /** The location of the previous course that this one was copied from, or ''. */
  readonly parent: string;
  /** Recorded at the location's first placement in the course; null when it was never deep-linked. */
  readonly column: GradebookColumn | null;
  /** Whether launches of an assessment location carry a `grade.submit`. */
  readonly gradeUrl: boolean;
}

/** A user's membership of a course. */
export interface Member {
  readonly id: string;
  readonly user: string;
  readonly course: string;
  readonly groups: readonly string[];
  readonly givenName: string;
  readonly familyName: string;
  readonly email: string;
  /** The user's identifier at the LMS, which is never handed to a tool. */
  readonly lmsUser: string;
  readonly left: boolean;
}

/** Whether a member is course staff. */
export function isStaffMember(member: Member): boolean {
  return member.groups.some((group) => (STAFF_GROUPS as readonly string[]).includes(group));
}

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/;

/** Whether the emulator may call a URL of a tool: on this machine, or https. */
export function isToolAddress(address: unknown): address is string {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
}

/** Tools, courses, their locations and members. */
export class World {
  readonly tools: Collection<Tool>;
  readonly courses: Collection<Course>;
  readonly locations: Collection<Location>;
  readonly members: Collection<Member>;
  readonly #byUser = new Map<string, Map<string, Member>>();
  #byUserRevision = -1;

  constructor(store: Store) {
    this.tools = store.collection('tools');
    this.courses = store.collection('courses');
    this.locations = store.collection('locations');
    this.members = store.collection('members');
  }

  /** The membership of a user in a course; undefined if there is none or the user has left. */
  memberOf(course: string, user: string): Member | undefined {
    if (this.#byUserRevision !== this.members.revision) this.#indexMembers();
    return this.#byUser.get(course)?.get(user);
  }

  #indexMembers(): void {
    this.#byUser.clear();
    for (const member of this.members.values()) {
      if (member.left) continue;
      const ofCourse = this.#byUser.get(member.course);
      if (ofCourse === undefined) this.#byUser.set(member.course, new Map([[member.user, member]]));
      else ofCourse.set(member.user, member);
    }
    this.#byUserRevision = this.members.revision;
  }

  /** A member who is in the course now. */
  presentMember(course: string, id: string): Member | undefined {
    const member = this.members.get(id);
    return member?.course === course && !member.left ? member : undefined;
  }

  /** The locations of a course, of one tool or of all. */
  locationsOf(course: string, tool?: string): Location[] {
    return [...this.locations.values()].filter(
      (location) => location.course === course && (tool === undefined || location.tool === tool),
    );
  }

  /** Whether the tool has a placement in the course at all. */
  isPlaced(tool: string, course: string): boolean {
    for (const location of this.locations.values()) {
      if (location.course === course && location.tool === tool) return true;
    }
    return false;
  }

  /** The tool of an API key. */
  toolOfKey(key: string): Tool | undefined {
    if (key === '') return undefined;
    for (const tool of this.tools.values()) if (tool.apiKey === key) return tool;
    return undefined;
  }
}
