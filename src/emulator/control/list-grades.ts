import type { GradeAttempt } from '../../contract/index.ts';
import type { ScorePayload } from '../service/grades/lms.ts';
import { GRADEBOOK } from '../state/attempts.ts';
import type { EmulatorState } from '../state/state.ts';
import { memberName } from '../state/people.ts';
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import { operation, pageSchema, schemasOf, SORT } from './operation.ts';
import { equal, listPage, NAME, natural } from './query.ts';

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

const ATTEMPTS_TAKEN = s.object({ ...schemasOf(TAKEN.attempts), ...SORT, 'status?': s.text });
const GRADES_TAKEN = s.object({ ...schemasOf(TAKEN.grades), ...SORT });

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
  const { location, member, status } = asked;
  const list = {
    select: 'record',
    from: 'attempts LEFT JOIN members ON members.id = member',
    where: [...equal('location', location), ...equal('member', member), ...equal('status', status)],
    texts: [NAME, 'status', "record ->> '$.data.error'", "record ->> '$.data.comment'"],
    ids: ["record ->> 'id'", 'member'],
    sorts: {
      status: 'status',
      person: natural(`coalesce(nullif(${NAME}, ''), member)`),
      placement: natural('location'),
      score: 'score',
      submitted: 'submitted',
    },
    order: '-sequence',
    key: 'sequence',
  };
  return listPage(state.store, list, asked, ({ record }: { record: string }) =>
    shownAttempt(state, JSON.parse(record) as GradeAttempt),
  );
}

function shownAttempt(state: EmulatorState, attempt: GradeAttempt): ShownAttempt {
  const { data, annotations } = attempt;
  const text = JSON.stringify(data.response);
  const isLong = text.length > SHOWN_RESPONSE_CHARACTERS;
  const response = isLong ? `${text.slice(0, SHOWN_RESPONSE_CHARACTERS)}…` : data.response;
  const name = memberName(state, annotations.member);
  return { ...attempt, data: { ...data, response }, name };
}

interface Cell {
  readonly location: string;
  readonly member: string;
  readonly payload: string;
  readonly name: string;
}

function listGradebook({ store }: EmulatorState, asked: s.Static<typeof GRADES_TAKEN>) {
  const list = {
    select: `location, member, payload, ${NAME} AS name`,
    from: `(${GRADEBOOK}) LEFT JOIN members ON members.id = member`,
    where: equal('location', asked.location),
    texts: [NAME],
    ids: ['member', 'location'],
    sorts: {
      person: natural(`coalesce(nullif(${NAME}, ''), member)`),
      member: natural('member'),
      placement: natural('location'),
      points: "payload ->> 'scoreGiven'",
      at: "payload ->> 'timestamp'",
    },
    order: 'location',
    key: 'member',
  };
  return listPage(store, list, asked, ({ location, member, payload, name }: Cell) => {
    const score = JSON.parse(payload) as ScorePayload;
    return {
      location,
      member,
      name,
      points: score.scoreGiven,
      of: score.scoreMaximum,
      comment: score.comment,
      activity_progress: score.activityProgress,
      grading_progress: score.gradingProgress,
      at: score.timestamp,
    };
  });
}
