import type { Code, Params } from '../../../contract/index.ts';
import { byParams, type Examples } from './example.ts';

/**
 * Requests of a tool, a line each: who makes it (a student where nobody is named), the method, and
 * the claim whose URL it goes to. `lectern …` is a command that comes in between.
 */
export interface RequestScript {
  /** What is wrong. */
  readonly does: readonly string[];
  /** The same job by the contract. */
  readonly instead: readonly string[];
  /** The figures of the message. */
  readonly params: Params;
}

type RequestCode = Extract<Code, `request.${string}`>;

const LOST = 'lectern emulator fault --method POST --path /scores --close after';
const HALF = 'POST grade.submit {"score": 0.5}';
const DECLARED = 'PUT files.member/notes.txt {"size": 5}';
const UPLOADED = 'POST the form with "hello"';
const LATER = 'lectern emulator clock advance 10m';
const ADD = 'PATCH storage.context {"patch": [{"op": "add", "path": "/round", "value": 2}]}';

/** A tool that does what a code is about, and one that does not. */
export const REQUEST_SCRIPTS: Readonly<Record<RequestCode, RequestScript>> = {
  'request.bearer_to_signed_url': {
    does: [DECLARED, `${UPLOADED} and the bearer token`, UPLOADED],
    instead: [DECLARED, UPLOADED],
    params: { what: 'upload' },
  },
  'request.token_in_url': {
    does: ['GET /cb?code=TOKEN'],
    instead: ['GET storage.member'],
    params: { method: 'GET', path: '/cb?…' },
  },
  'request.url_not_handed_out': {
    does: ['GET /data/v1/contexts/biology-101/row'],
    instead: ['GET storage.context'],
    params: { method: 'GET', path: '/data/v1/contexts/biology-101/row' },
  },
  'request.url_segment_changed': {
    does: ['staff: GET storage.member with member-112 for member-101'],
    instead: ['staff: POST grade.submit with member-112 for member-101 {"score": 0.5}'],
    params: { what: 'the member segment', kind: 'member row' },
  },
  'request.removed_endpoint': {
    does: ['GET /apps/me'],
    instead: ['GET storage.context'],
    params: { method: 'GET', path: '/apps/me' },
  },
  'request.launch_id': {
    does: ['POST grade.submit {"launch_id": "7f1c", "score": 0.5}'],
    instead: [HALF],
    params: {},
  },
  'request.api_key_not_valid': {
    does: ['GET storage.member with the API key'],
    instead: ['GET storage.member'],
    params: { what: 'a member row' },
  },
  'request.grade_repeated_after_lost_answer': {
    does: [LOST, HALF, HALF],
    instead: [LOST, HALF],
    params: { member: 'member-111', location: 'essay-1' },
  },
  'request.grade_repeated': {
    does: [HALF, HALF],
    instead: [HALF, 'POST grade.submit {"score": 0.75}'],
    params: { member: 'member-111', location: 'essay-1' },
  },
  'request.keys_dropped': {
    does: [
      'staff: GET storage.context',
      `other: ${ADD}`,
      'staff: PUT storage.context {"title": "A"}',
    ],
    instead: [
      'staff: GET storage.context',
      `other: ${ADD}`,
      'staff: PATCH storage.context {"patch": [{"op": "add", "path": "/title", "value": "A"}]}',
    ],
    params: { kind: 'context', keys: '"/round"' },
  },
  'request.value_overwritten': {
    does: [
      'staff: PUT storage.context {"title": "A"}',
      'other: PATCH storage.context {"patch": [{"op": "replace", "path": "/title", "value": "B"}]}',
      'staff: PUT storage.context {"title": "C"}',
    ],
    instead: [
      'staff: PUT storage.context {"title": "A"}',
      'other: PATCH storage.context {"patch": [{"op": "replace", "path": "/title", "value": "B"}]}',
      'staff: GET storage.context',
      'staff: PUT storage.context {"title": "C"}',
    ],
    params: { kind: 'context', keys: '"/title"' },
  },
  'request.ended_token_repeated': {
    does: [
      'lectern emulator clock advance 12h',
      'GET storage.member',
      'lectern emulator clock advance 10s',
      'GET storage.member',
      'GET storage.member',
    ],
    instead: ['lectern emulator clock advance 12h', 'GET storage.member'],
    params: { launch: '1c0ffee', calls: 3 },
  },
  'request.signed_url_expired': {
    does: [DECLARED, LATER, UPLOADED, DECLARED, UPLOADED],
    instead: [LATER, DECLARED, UPLOADED],
    params: { what: 'upload' },
  },
  'request.declaration_without_upload': {
    does: [DECLARED],
    instead: [DECLARED, UPLOADED],
    params: { kind: 'member', key: 'notes.txt' },
  },
  'request.row_near_limit': {
    does: ['PUT storage.member {"text": "…"} of 450000 bytes'],
    instead: ['PUT storage.member {"text": "…"} of 4500 bytes'],
    params: { kind: 'member', size: 450_000, percent: 85, label: '512 KB' },
  },
  'request.provision_unfinished': {
    does: ['copy: GET storage.parent_context'],
    instead: ['copy: GET storage.parent_context', 'copy: PUT provision.context'],
    params: { course: 'biology-102' },
  },
};

const entries = Object.entries(REQUEST_SCRIPTS).map(([code, { does, instead, params }]) => {
  const given = [...does, 'by the contract:', ...instead].join('\n');
  return [code, byParams(given, params)] as const;
});

export const REQUEST_EXAMPLES = Object.fromEntries(entries) as Examples<'request'>;
