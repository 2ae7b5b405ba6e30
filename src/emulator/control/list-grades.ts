import type { GradeAttempt } from '../../contract/index.ts';
import type { ScorePayload } from '../service/grades/lms.ts';
import type { EmulatorState } from '../state/state.ts';
import type { GradebookCell } from '../store/stored-attempts.ts';
import { isFound, memberName, peopleFound } from '../state/people.ts';
import * as s from '../../schema/schema.ts';
import { LIST, operation, pageSchema } from './operation.ts';
import { listQuery, pageOf, startOf, type ListQuery } from './query.ts';

export interface NamedAttempt extends Omit<GradeAttempt, 'data'> {
  readonly name: string;
  readonly data: Omit<GradeAttempt['data'], 'response'> & {
    readonly response: GradeAttempt['data']['response'] | string;
  };
}

/** The contract's record, with the name of the member; a long response of the LMS is cut. */
const ATTEMPT = s.typed<NamedAttempt>(s.open(s.object({ id: s.text, name: s.text })));
type ShownAttempt = s.Static<typeof ATTEMPT>;

const GRADE = s.object({
  ...s.texts('location', 'member', 'name'),
  points: s.anyNumber,
  of: s.anyNumber,
  ...s.texts('comment', 'activity_progress', 'grading_progress', 'at'),
});

const ATTEMPTS_TAKEN = s.object({
  ...LIST,
  ...s.texts('location?', 'member?', 'status?'),
});
const GRADES_TAKEN = s.object({ ...LIST, 'location?': s.text });

export const GRADE_LISTS = {
  'GET attempts': operation({
    summary: 'attempts, the latest first',
    takes: ATTEMPTS_TAKEN,
    answers: pageSchema(ATTEMPT),
    run: ({ state }, asked) => listAttempts(state, asked),
  }),
  'GET gradebook': operation({
    summary: 'what the LMS has',
    takes: GRADES_TAKEN,
    answers: pageSchema(GRADE),
    run: ({ state }, asked) => listGradebook(state, asked),
  }),
};

/** The maximum length of an LMS response in a list. */
const SHOWN_RESPONSE_CHARACTERS = 2000;

function listAttempts(state: EmulatorState, asked: s.Static<typeof ATTEMPTS_TAKEN>) {
  const query = listQuery(asked);
  const { location, member: wanted, status } = asked;
  const isWhole =
    query.search === '' && query.sort === '' && (location ?? wanted ?? status) === undefined;
  if (isWhole) return newestAttempts(state, query);
  const parse = parsedOnce<GradeAttempt>();
  const people = query.search === '' ? new Set<string>() : peopleFound(state, query.search);
  // As the text occurs in the JSON of an attempt, which is parsed only if it contains it.
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
  const of = ({ json }: AttemptText): GradeAttempt => parse(json);
  return pageOf(all, query, matches, ({ json }) => shownAttempt(state, parse(json)), {
    status: (each) => of(each).status,
    person: ({ member }) => memberName(state, member) || member,
    placement: (each) => of(each).annotations.location,
    score: (each) => of(each).score,
    submitted: (each) => of(each).submitted,
  });
}

interface AttemptText {
  readonly member: string;
  readonly json: string;
}

/** A JSON parser that remembers its last result. */
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
  const from = startOf(query.after);
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

function shownAttempt(state: EmulatorState, attempt: GradeAttempt): ShownAttempt {
  const { data, annotations } = attempt;
  const text = JSON.stringify(data.response);
  const isLong = text.length > SHOWN_RESPONSE_CHARACTERS;
  const response = isLong ? `${text.slice(0, SHOWN_RESPONSE_CHARACTERS)}…` : data.response;
  const name = memberName(state, annotations.member);
  return { ...attempt, data: { ...data, response }, name };
}

function listGradebook(state: EmulatorState, asked: s.Static<typeof GRADES_TAKEN>) {
  const query = listQuery(asked);
  const { store } = state;
  const { location } = asked;
  const people = query.search === '' ? undefined : peopleFound(state, query.search);
  const matches = (cell: GradebookCell): boolean =>
    (location === undefined || cell.location === location) &&
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
    {
      person: ({ member }) => memberName(state, member) || member,
      member: ({ member }) => member,
      placement: ({ location: at }) => at,
      points: ({ sequence }) => store.attempts.payload<ScorePayload>(sequence).scoreGiven,
      at: ({ sequence }) => store.attempts.payload<ScorePayload>(sequence).timestamp,
    },
  );
}
