import { possible, situation, wrong } from './code-row.ts';

/** Answers of a service that the contract does not allow. Only `lectern observe` finds them. */
export const SERVICE_CODES = {
  'service.status': wrong(
    (p) => `${p.what} was answered with ${p.status}; the contract has ${p.allowed}`,
    'Endpoints: success responses; Errors: the tables of statuses',
    'report it to the service; until then a tool has to expect this status too',
    situation('a PUT of a row that is answered with 201', {
      what: 'PUT member row',
      status: 201,
      allowed: '204, 401, 403, 404, 422',
    }),
  ),
  'service.shape': wrong(
    (p) => `the answer to ${p.what} is not as the contract describes it: ${p.fault}`,
    'Resources and their fields',
    'report it to the service; compare the body with lectern explain openapi',
    situation('a listing whose items have no size', {
      what: 'GET member files',
      fault: '/0 size is missing',
    }),
  ),
  'service.limit': wrong(
    (p) => `${p.what} was accepted beyond a limit: ${p.fault}`,
    'Limits',
    'do not rely on it: the contract has the lower limit, and another day it may hold',
    situation('a row of 600 KB that is accepted', {
      what: 'PUT member row',
      fault: 'the row has 600000 bytes, over the 512 KB limit',
    }),
  ),
  'service.not_refused': wrong(
    (p) => `${p.what} was accepted, though the contract refuses it: ${p.fault}`,
    'Errors: the tables of causes',
    'correct the request: a service that follows the contract refuses it',
    situation('a score of 1.5 that is accepted', {
      what: 'POST grade',
      fault: 'score must be between 0 and 1',
    }),
  ),
  'service.message': possible(
    (p) => `the refusal of ${p.what} does not have the message of the contract: ${p.expected}`,
    'Errors, Grade submission: the column Message',
    'do not match on messages of the service',
    situation('a score of 1.5 that is refused with "bad score"', {
      what: 'POST grade',
      expected: 'score must be between 0 and 1',
    }),
  ),
};
