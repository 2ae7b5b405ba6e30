import { CODES, type Code, type CodeRow } from '../../contract/index.ts';
import type { EndReason } from '../state/records.ts';

/** States that a tool can meet besides refusals with a code, as the report names them. */
export const SITUATION_STATES = {
  'launch.student': "a student's launch: no personal data",
  'launch.staff': 'a launch of course staff: name and email are filled in',
  'launch.grade_null': 'a launch whose grade.submit is null',
  'launch.account': 'a launch whose grade.submit is under /account/v1/users/',
  'launch.upgrade_offered': 'a launch whose version offers an upgrade',
  'launch.provision_request': 'a provision request',
  'launch.copied_course':
    'a copied course: a provision request with the rows of the previous course',
  'token.idle': '401: the token ended after 12 hours without a call',
  'token.suspended': '401: the token ended when the tool was suspended or archived',
  'token.left': '401: the token ended when the user left the course, or the membership changed',
  'token.code_replaced': '401: the token ended when the code of the tool was replaced',
  'token.provision_lifetime': '401: the token of a provision request ended after 3 hours',
  'token.session_expired':
    'session expired: a call of a hosted tool is refused, event service-session-expired',
  'row.never_written': '200: a row that was never written reads as {}',
  'attempt.success': '200: an attempt with status success',
  'attempt.refused': '200: a failed attempt: the LMS refused the score',
  'attempt.no_line_item': '200: a failed attempt: location has no line item',
  'attempt.scope': '200: a failed attempt: max_score without the line item scope',
  'file.deleted_absent': '204: DELETE of a file that is not there',
  'signed.expired': '403: a signed URL has expired',
  'signed.size': '400: an upload does not match its declared size',
  'response.lost': 'no response: the connection was lost after the effect',
  'response.unavailable': '5xx: no usable response; not listed in the contract',
} as const;

export type SituationState = keyof typeof SITUATION_STATES;

/** An answer or a state that the contract can bring a tool into. */
export interface Situation {
  readonly id: SituationState | Code;
  readonly words: string;
}

const refusals = (Object.entries(CODES) as [Code, CodeRow][]).flatMap(
  ([id, { status, rule }]): Situation[] =>
    status === undefined ? [] : [{ id, words: `${status} ${id}: ${rule}` }],
);

/** All situations, in the order of a report. */
export const SITUATIONS: readonly Situation[] = [
  ...Object.entries(SITUATION_STATES).map(([id, words]): Situation => ({
    id: id as SituationState,
    words,
  })),
  ...refusals.sort((a, b) => Number(a.words.slice(0, 3)) - Number(b.words.slice(0, 3))),
];

/** By the reason why a token ended; a token that was ended by hand is in none of these states. */
export const STATE_OF_END: Readonly<Record<EndReason, SituationState | undefined>> = {
  idle: 'token.idle',
  'lifetime over': 'token.provision_lifetime',
  'tool suspended': 'token.suspended',
  'tool archived': 'token.suspended',
  'code replaced': 'token.code_replaced',
  'left the course': 'token.left',
  'membership changed': 'token.left',
  'ended by hand': undefined,
};
