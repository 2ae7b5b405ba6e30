import { freedom } from './freedom.ts';

/* What calls are answered with where the contract names it only in part. */

const finish = freedom<number>({
  about: 'the status of a finish call',
  contract: 'Tool-side endpoints: "their request and response shapes: not shown".',
  reading: 'What does the finish call accept?',
  values: [
    ['204', 204],
    ['200', 200],
    ['202', 202],
  ],
});

const otherMethods = freedom<number>({
  about: 'the status of a method that an address does not have',
  contract: 'Errors: "Status codes beyond those listed: not shown."',
  values: [
    ['405', 405],
    ['404', 404],
    ['501', 501],
  ],
});

export interface LmsAnswer {
  readonly status: number;
  readonly body: unknown;
}

const lmsAnswer = freedom<(resultUrl: string) => LmsAnswer>({
  about: 'the answer of an LMS that accepts a score, in `data.response`',
  contract: 'Grade attempt: "`{status, body}`, the LMS\'s own answer".',
  values: [
    ['result', (resultUrl) => ({ status: 200, body: { resultUrl } })],
    ['empty', () => ({ status: 204, body: '' })],
    ['text', () => ({ status: 201, body: 'Created' })],
    ['list', (resultUrl) => ({ status: 200, body: [{ id: resultUrl, errors: null }] })],
  ],
});

export const CALL_FREEDOMS = { finish, other_methods: otherMethods, lms_answer: lmsAnswer };
