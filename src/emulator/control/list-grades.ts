import type { GradeAttempt } from '../../contract/index.ts';
import type { ScorePayload } from '../service/grades/lms.ts';
import type { EmulatorState } from '../state/state.ts';
import type { GradebookCell } from '../store/stored-attempts.ts';
import { memberName, peopleFound } from './list-people.ts';
import { isFound, listQuery, pageOf, type ListQuery } from './query.ts';

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
      (isNamed || isFound(query.search, [attempt.status, data.error, data.comment], [id, member]))
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
      isFound(query.search, [], [cell.member, cell.location]));
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
