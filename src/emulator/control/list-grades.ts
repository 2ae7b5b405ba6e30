import { schemasOf } from '../../control-api/schemas.ts';
import { TAKEN } from '../../control-api/taken.ts';
import * as s from '../../schema/schema.ts';
import { GRADEBOOK } from '../state/attempts.ts';
import type { EmulatorState } from '../state/state.ts';
import { operation, SORT } from './operation.ts';
import { equal, listPage, pageSchema } from './query.ts';

const ATTEMPTS_TAKEN = s.object({ ...schemasOf(TAKEN.attempts), ...SORT, 'status?': s.text });
const GRADES_TAKEN = s.object({ ...schemasOf(TAKEN.grades), ...SORT });

export const GRADE_LISTS = {
  'GET attempts': operation({
    summary: 'attempts, the latest first',
    takes: ATTEMPTS_TAKEN,
    answers: pageSchema('attempts'),
    run: ({ state }, asked) => listAttempts(state, asked),
  }),
  'GET gradebook': operation({
    summary: 'what the LMS has',
    takes: GRADES_TAKEN,
    answers: pageSchema('gradebook'),
    run: ({ state }, asked) => listGradebook(state, asked),
  }),
};

/** The maximum length of an LMS response in a list. */
const SHOWN_RESPONSE_CHARACTERS = 2000;

function listAttempts({ store }: EmulatorState, asked: s.Static<typeof ATTEMPTS_TAKEN>) {
  const { location, member, status } = asked;
  const source = {
    from: 'attempts LEFT JOIN members ON members.id = member',
    select: "record -> '$.data.response' AS answered",
    where: [...equal('location', location), ...equal('member', member), ...equal('status', status)],
    order: '-sequence',
    key: 'sequence',
  };
  return listPage<'attempts', { answered: string }>(
    store,
    'attempts',
    source,
    asked,
    ({ answered }) => ({
      response:
        answered.length > SHOWN_RESPONSE_CHARACTERS
          ? `${answered.slice(0, SHOWN_RESPONSE_CHARACTERS)}…`
          : (JSON.parse(answered) as unknown),
    }),
  );
}

function listGradebook({ store }: EmulatorState, asked: s.Static<typeof GRADES_TAKEN>) {
  const source = {
    from: `(${GRADEBOOK}) LEFT JOIN members ON members.id = member`,
    where: equal('location', asked.location),
    order: 'location',
    key: 'member',
  };
  return listPage(store, 'gradebook', source, asked, () => ({}));
}
