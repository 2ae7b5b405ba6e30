import { freedom, statuses } from './freedom.ts';

/* What calls are answered with where the contract names it only in part. */

export interface LmsAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** The caller's token: of a provision request, or of a launch by staff or a student. */
export interface Finisher {
  readonly isRequest: boolean;
  readonly isStaff: boolean;
}

export const CALL_FREEDOMS = {
  finish: freedom<number>({
    about: 'the status of a finish call',
    contract: 'Tool-side endpoints: "their request and response shapes: not shown".',
    reading: 'What does the finish call accept?',
    values: statuses(204, 200, 202),
  }),
  finishers: freedom<(finisher: Finisher) => boolean>({
    about: 'who may make the finish call',
    contract:
      'Limits: "the finish call works with the request\'s own token"; other calls are not mentioned.',
    reading: 'What does the finish call accept?',
    values: [
      ['anyone', () => true],
      ['staff', ({ isRequest, isStaff }) => isRequest || isStaff],
    ],
  }),
  unknown_member: freedom<number>({
    about: 'the status of a grade of a member that does not exist',
    contract:
      'Errors, Grade submission: 401, 403 and 422 with their causes; this cause is not in the list.',
    reading: 'Which refusal comes first?',
    values: statuses(404, 422),
  }),
  idle_edge: freedom<number>({
    about: 'whether a token is live exactly 12 hours after its last call, in ms',
    contract: 'Launch token: "12 hours without a call | ended".',
    reading: 'Which calls restart the 12 hours?',
    values: [
      ['ended', 0],
      ['live', 1],
    ],
  }),
  other_methods: freedom<number>({
    about: 'the status of a method that an address does not have',
    contract: 'Errors: "Status codes beyond those listed: not shown."',
    values: statuses(405, 404, 501),
  }),
  lms_answer: freedom<(resultUrl: string) => LmsAnswer>({
    about: 'the answer of an LMS that accepts a score, in `data.response`',
    contract: 'Grade attempt: "`{status, body}`, the LMS\'s own answer".',
    values: [
      ['result', (resultUrl) => ({ status: 200, body: { resultUrl } })],
      ['empty', () => ({ status: 204, body: '' })],
      ['text', () => ({ status: 201, body: 'Created' })],
      ['list', (resultUrl) => ({ status: 200, body: [{ id: resultUrl, errors: null }] })],
    ],
  }),
};
