import {
  FILES_PER_ROW,
  FILES_TOTAL,
  type GradeAttempt,
  isShared,
  LAUNCH_TOKEN_IDLE_MS,
  PROVISION_TOKEN_MS,
  rowLimit,
} from '../../contract/index.ts';
import { rowKey, rowOfKey, type Row } from '../service/access.ts';
import { filesPath, rowPath } from '../service/addresses.ts';
import { filesOf } from '../service/files.ts';
import type { ScorePayload } from '../service/lms.ts';
import { endOf } from '../service/tokens.ts';
import type { EmulatorState } from '../state.ts';
import type { Token } from '../store/records.ts';
import type { GradebookCell } from '../store/stored-attempts.ts';
import type { Member } from '../world/world.ts';
import { notFound } from './body.ts';
import { isFound, listQuery, pageOf, requiredIn, type ListQuery } from './query.ts';

/** Members of the courses: by `search`, `course`, `role`. */
export function listMembers({ world }: EmulatorState, given: URLSearchParams) {
  const query = listQuery(given);
  const [course, role] = [given.get('course'), given.get('role')];
  const matches = (member: Member): boolean =>
    (course === null || member.course === course) &&
    (role === null || member.groups.includes(role)) &&
    isFound(query.search, [member.id, nameOf(member), member.email, member.user]);
  return pageOf(world.members.values(), query, matches, (member) => {
    const { id, user, groups, email, left } = member;
    return { id, user, course: member.course, groups, name: nameOf(member), email, left };
  });
}

function nameOf({ givenName, familyName }: Pick<Member, 'givenName' | 'familyName'>): string {
  return `${givenName} ${familyName}`.trim();
}

/** The name of a member; '' where there is none. */
function memberName({ world }: EmulatorState, id: string): string {
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
    isFound(query.search, [
      token.launchId,
      token.tool,
      token.course,
      token.location,
      token.member,
      memberName(state, token.member),
    ]);
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

interface ListedRow {
  readonly key: string;
  readonly bytes: number | null;
}

/**
 * Rows: those that were written, and every shared row, written or not; by `search`, which looks for
 * people and placements too.
 */
export function listRows(state: EmulatorState, given: URLSearchParams) {
  const query = listQuery(given);
  const written = state.store.rowSizes();
  const unwritten = sharedRows(state).filter((key) => !written.has(key));
  const rows: ListedRow[] = [
    ...[...written].map(([key, bytes]) => ({ key, bytes })),
    ...unwritten.map((key) => ({ key, bytes: null })),
  ];
  const isOfFound = rowFinder(state, query.search);
  const matches = ({ key }: ListedRow): boolean => isFound(query.search, [key]) || isOfFound(key);
  return pageOf(rows, query, matches, ({ key, bytes }) => shownRow(state, key, bytes));
}

/**
 * Tells whether a row is of a course, a placement or a person whose name has these words in it. The
 * names are searched once, and not for each row.
 */
function rowFinder(state: EmulatorState, search: string): (key: string) => boolean {
  const { courses, locations, members } = state.world;
  const idsOf = <Item extends { readonly id: string }>(
    items: Iterable<Item>,
    nameIn: (item: Item) => string,
  ): Set<string> => {
    const ids = new Set<string>();
    for (const item of items) if (isFound(search, [nameIn(item)])) ids.add(item.id);
    return ids;
  };
  const titled = ({ title }: { readonly title: string }): string => title;
  const inCourse = idsOf(courses.values(), titled);
  const found = {
    course: inCourse,
    location: idsOf(locations.values(), titled),
    member: idsOf(members.values(), nameOf),
  };
  const isLocation = (id: string): boolean =>
    found.location.has(id) || found.course.has(locations.get(id)?.course ?? '');
  const isMember = (id: string): boolean =>
    found.member.has(id) || found.course.has(members.get(id)?.course ?? '');
  return (key) => {
    const [kind, , first = '', second = ''] = key.split('/');
    if (kind === 'context') return found.course.has(first);
    if (kind === 'location') return isLocation(first);
    if (kind === 'member') return isMember(first);
    return isLocation(first) || isMember(second);
  };
}

/** The names of the rows that every member of a course shares. */
function sharedRows({ world }: EmulatorState): string[] {
  const keys = [...world.locations.values()].flatMap(({ id: location, tool, course }) => {
    const parts = { tool, course, location, member: '' };
    return [rowKey({ kind: 'context', ...parts }), rowKey({ kind: 'location', ...parts })];
  });
  return [...new Set(keys)];
}

export function shownRow(state: EmulatorState, key: string, bytes: number | null) {
  const row = rowOfKey(state, key);
  // A row whose placement has gone with a seed or an import.
  if (row === undefined) return { row: key, bytes, kind: key.split('/')[0] ?? '', known: false };
  const { kind, tool, course, location, member } = row;
  return {
    row: key,
    bytes,
    known: true,
    kind,
    tool,
    course,
    location,
    member,
    name: memberName(state, member),
    unprovisioned: isShared(kind) && !state.provisioned.has(key),
    limit: rowLimit(kind).bytes,
    url: state.urls.api + rowPath(row),
    files_url: state.urls.api + filesPath(row),
  };
}

/** Rows with files, and every shared row: by `search`, over the keys of files too. */
export function listFileSets(state: EmulatorState, given: URLSearchParams) {
  const query = listQuery(given);
  const sets = new Map<string, { files: number; bytes: number; keys: string[] }>();
  for (const { row, key, size } of state.files.values()) {
    const set = sets.get(row) ?? { files: 0, bytes: 0, keys: [] };
    set.files++;
    set.bytes += size;
    set.keys.push(key);
    sets.set(row, set);
  }
  for (const row of sharedRows(state)) {
    if (!sets.has(row)) sets.set(row, { files: 0, bytes: 0, keys: [] });
  }
  // Those that have files first.
  const sorted = [...sets].sort(([a, { files: one }], [b, { files: other }]) =>
    one > 0 === other > 0 ? (a < b ? -1 : 1) : other - one,
  );
  const isOfFound = rowFinder(state, query.search);
  const matches = ([row, { keys }]: (typeof sorted)[number]): boolean =>
    isFound(query.search, [row, ...keys]) || isOfFound(row);
  return pageOf(sorted, query, matches, ([row, { files, bytes }]) => {
    return { ...shownRow(state, row, null), files, file_bytes: bytes };
  });
}

/** The files of one row, which are at most a hundred, and their quota. */
export function listFiles(state: EmulatorState, given: URLSearchParams) {
  const key = requiredIn(given, 'row');
  const row = rowIn(state, key);
  const items = filesOf(state, row.key).map(
    ({ key: name, size, modified, contentType, filename, attachment }) => {
      return { key: name, size, modified, content_type: contentType, filename, attachment };
    },
  );
  const bytes = items.reduce((sum, { size }) => sum + size, 0);
  const quota = { files: FILES_PER_ROW, bytes: FILES_TOTAL[row.kind].bytes };
  return { ...shownRow(state, key, null), items, file_bytes: bytes, quota };
}

/** The row of that name. Refuses one that is not there. */
export function rowIn(state: EmulatorState, key: string): Row {
  const row = rowOfKey(state, key);
  if (row === undefined) throw notFound('row', key);
  return row;
}

/** So much of what the LMS answered is shown in a list. */
const SHOWN_RESPONSE_CHARACTERS = 2000;

/** Attempts, the latest first: by `search`, `location`, `member`, `status`. */
export function listAttempts(state: EmulatorState, given: URLSearchParams) {
  const query = listQuery(given);
  const filter = fieldsIn(given, ['location', 'member', 'status']);
  const isWhole = query.search === '' && Object.keys(filter).length === 0;
  if (isWhole) return newestAttempts(state, query);
  const { location, member: wanted, status } = filter;
  const parse = parsedOnce<GradeAttempt>();
  const people = query.search === '' ? new Set<string>() : peopleFound(state, query.search);
  // As it stands in the text of an attempt, which is parsed only where it has these words.
  const written = JSON.stringify(query.search).slice(1, -1);
  const matches = ({ member, json }: AttemptText): boolean => {
    if ((wanted ?? member) !== member) return false;
    const isNamed = query.search === '' || people.has(member);
    if (!isNamed && !json.toLowerCase().includes(written)) return false;
    if (isNamed && status === undefined) return true;
    const attempt = parse(json);
    const { id, data } = attempt;
    return (
      (status ?? attempt.status) === attempt.status &&
      (isNamed || isFound(query.search, [id, attempt.status, data.error, data.comment, member]))
    );
  };
  const all = state.store.attempts.texts(location ?? '');
  return pageOf(all, query, matches, ({ json }) => shownAttempt(state, parse(json)));
}

interface AttemptText {
  readonly member: string;
  readonly json: string;
}

/** Parses a text, and not again where the next one asked for is the same. */
function parsedOnce<Value>(): (json: string) => Value {
  let last: { readonly json: string; readonly value: Value } | undefined;
  return (json) => {
    if (last?.json !== json) last = { json, value: JSON.parse(json) as Value };
    return last.value;
  };
}

/** The members whose name or ID has these words in it. */
function peopleFound({ world }: EmulatorState, search: string): Set<string> {
  const found = new Set<string>();
  for (const member of world.members.values()) {
    if (isFound(search, [member.id, nameOf(member)])) found.add(member.id);
  }
  return found;
}

/** Without a filter only those of the page are read. */
function newestAttempts(state: EmulatorState, query: ListQuery) {
  const total = state.store.attempts.count();
  const from = Number(query.after);
  const read = state.store.attempts.backwards<GradeAttempt>(query.limit, from);
  const page = pageOf(
    read,
    { ...query, after: '' },
    () => true,
    (attempt) => shownAttempt(state, attempt),
  );
  const next = from + page.items.length;
  return { ...page, total, next: next < total ? String(next) : null };
}

function fieldsIn(
  given: URLSearchParams,
  names: readonly string[],
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given.get(name) ?? '';
      return value === '' ? [] : [[name, value]];
    }),
  );
}

function shownAttempt(state: EmulatorState, attempt: GradeAttempt) {
  const { data, annotations } = attempt;
  const text = JSON.stringify(data.response);
  const isLong = text.length > SHOWN_RESPONSE_CHARACTERS;
  const response = isLong ? `${text.slice(0, SHOWN_RESPONSE_CHARACTERS)}…` : data.response;
  const name = memberName(state, annotations.member);
  return { ...attempt, data: { ...data, response }, name };
}

/** The LMS gradebook: by `search`, `location`. */
export function listGradebook(state: EmulatorState, given: URLSearchParams) {
  const query = listQuery(given);
  const { store } = state;
  const { location = null } = fieldsIn(given, ['location']);
  const people = query.search === '' ? undefined : peopleFound(state, query.search);
  const matches = (cell: GradebookCell): boolean =>
    (location === null || cell.location === location) &&
    (people === undefined ||
      people.has(cell.member) ||
      isFound(query.search, [cell.member, cell.location]));
  return pageOf(
    store.attempts.gradebookCells(),
    query,
    matches,
    ({ location: at, member, sequence }) => {
      const payload = store.attempts.payload<ScorePayload>(sequence);
      return {
        location: at,
        member,
        name: memberName(state, member),
        points: payload.scoreGiven,
        of: payload.scoreMaximum,
        comment: payload.comment,
        activity_progress: payload.activityProgress,
        grading_progress: payload.gradingProgress,
        at: payload.timestamp,
      };
    },
  );
}
