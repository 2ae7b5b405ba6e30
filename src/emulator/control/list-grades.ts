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

type AttemptsTaken = s.Static<typeof ATTEMPTS_TAKEN>;

function listAttempts(state: EmulatorState, asked: AttemptsTaken) {
  const query = listQuery(asked);
  const { location, member, status } = asked;
  const isWhole =
    query.search === '' && query.sort === '' && (location ?? member ?? status) === undefined;
  if (isWhole) return newestAttempts(state, query);
  const people = query.search === '' ? new Set<string>() : peopleFound(state, query.search);
  const matches = ({ id, status: outcome, data, annotations }: GradeAttempt): boolean =>
    (status ?? outcome) === outcome &&
    (people.has(annotations.member) ||
      isFound(query.search, [outcome, data.error, data.comment], [id, annotations.member]));
  return pageOf(
    likelyAttempts(state, { ...asked, search: query.search }, people),
    query,
    matches,
    (attempt) => shownAttempt(state, attempt),
    {
      status: (attempt) => attempt.status,
      person: ({ annotations: of }) => memberName(state, of.member) || of.member,
      placement: ({ annotations: of }) => of.location,
      score: ({ score }) => score,
      submitted: ({ submitted }) => submitted,
    },
  );
}

/**
 * The attempts of a location and a member that have the searched text anywhere in their JSON, or
 * are of one of these people. A search of 30,000 takes 120 ms; it takes 220 ms if all are parsed.
 */
function* likelyAttempts(
  state: EmulatorState,
  { search, location = '', member: wanted }: AttemptsTaken & { readonly search: string },
  people: ReadonlySet<string>,
): Generator<GradeAttempt> {
  const written = JSON.stringify(search).slice(1, -1);
  for (const { member, json } of state.store.attempts.texts(location)) {
    if ((wanted ?? member) !== member) continue;
    if (!people.has(member) && !json.toLowerCase().includes(written)) continue;
    yield JSON.parse(json) as GradeAttempt;
  }
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
