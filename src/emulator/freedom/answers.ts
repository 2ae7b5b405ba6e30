import { STATUS_CODES } from 'node:http';
import type { Code } from '../../contract/index.ts';
import * as s from '../../schema/schema.ts';
import { freedom, named } from './freedom.ts';

/* How the service writes its answers. */

/** An error as it is written into the envelope; the message is '' if the contract gives none. */
export interface RefusedWith {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface Envelope {
  readonly type: string;
  readonly schema: s.JsonSchema;
  /** The body: a text, or what is written as JSON. */
  readonly body: (refusal: RefusedWith) => unknown;
}

const JSON_TYPE = 'application/json';

const OWN_WORDS =
  'The error envelope. The contract does not show its fields: these are an interpretation.';
const OWN_ERROR = s.object({
  error: s.closed(
    s.object({
      code: s.text,
      'message?': s.described(s.text, 'Missing if the contract gives none.'),
    }),
  ),
});

/** Codes whose message the contract gives, or says that there is none. */
const GIVEN: ReadonlySet<string> = new Set<Code>([
  'grade.score_range',
  'grade.max_score_range',
  'grade.activity_progress',
  'grade.grading_progress',
  'grade.not_assessment',
  'auth.missing_grade',
  'auth.key_unknown',
  'auth.suspended',
  'auth.other_tool',
  'auth.not_placed',
  'auth.not_this_member',
]);

function phrase(status: number): string {
  return STATUS_CODES[status] ?? '';
}

function sorted<Value>(value: Value, sort: (names: string[]) => string[]): Value {
  if (Array.isArray(value)) return value.map((each) => sorted(each, sort)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const given = value as Readonly<Record<string, unknown>>;
  const names = sort(Object.keys(given));
  return Object.fromEntries(names.map((name) => [name, sorted(given[name], sort)])) as Value;
}

function escaped(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const EAST_MS = 5.5 * 60 * 60 * 1000;

export const ANSWER_FREEDOMS = {
  envelope: freedom<Envelope>({
    about: 'the fields of an error',
    contract:
      'Errors: "Error responses use the service\'s standard error envelope; its fields: not shown."',
    values: named({
      error: {
        type: JSON_TYPE,
        schema: s.closed(s.described(OWN_ERROR, OWN_WORDS)),
        body: ({ code, message }) => ({ error: message === '' ? { code } : { code, message } }),
      },
      flat: {
        type: JSON_TYPE,
        schema: s.object({ status: s.httpStatus, message: s.text }),
        body: ({ status, message }) => ({ status, message }),
      },
      errors: {
        type: JSON_TYPE,
        schema: s.object({ errors: s.list(s.object({ status: s.text, detail: s.text })) }),
        body: ({ status, message }) => ({
          errors: [{ status: String(status), detail: message }],
        }),
      },
      problem: {
        type: 'application/problem+json',
        schema: s.object({ type: s.text, status: s.httpStatus, detail: s.text }),
        body: ({ status, message }) => ({ type: 'about:blank', status, detail: message }),
      },
      text: { type: 'text/plain', schema: s.text, body: ({ message }) => message },
    }),
  }),
  messages: freedom<(refusal: RefusedWith) => string>({
    about: 'the message of an error for which the contract gives none',
    contract: 'Errors, Storage and files: statuses and causes, without messages.',
    values: [
      ['explained', ({ message }) => message],
      ['phrase', ({ status, code, message }) => (GIVEN.has(code) ? message : phrase(status))],
      ['none', ({ code, message }) => (GIVEN.has(code) ? message : '')],
    ],
  }),
  fields: freedom<Readonly<Record<string, unknown>>>({
    about: 'fields of an answer that the contract does not name',
    contract: 'Resources and their fields: what is listed; that there are no others is not said.',
    values: [
      ['none', {}],
      ['version', { schema_version: 3 }],
      ['links', { _links: { self: null, related: [] }, 'x-trace': 'é/ü', deleted: false }],
    ],
  }),
  order: freedom<<Value>(value: Value) => Value>({
    about: "the order of the keys in the service's own answers",
    contract: 'Resources and their fields: tables of fields, without an order.',
    values: [
      ['listed', (value) => value],
      ['alphabetical', (value) => sorted(value, (names) => names.sort())],
      ['reversed', (value) => sorted(value, (names) => names.reverse())],
    ],
  }),
  space: freedom<(value: unknown) => string>({
    about: "white space in the service's own answers",
    contract: 'Endpoints: "the JSON object exactly as last written" applies to rows only.',
    values: [
      ['none', (value) => JSON.stringify(value)],
      ['spaces', (value) => JSON.stringify(value, null, 1).replace(/\n */g, ' ')],
      ['lines', (value) => `${JSON.stringify(value, null, 2)}\n`],
    ],
  }),
  escapes: freedom<(json: string) => string>({
    about: "escapes in the strings of the service's own answers",
    contract: 'Endpoints: answers are JSON; the layout is not given.',
    values: [
      ['few', (json) => json],
      ['ascii', (json) => json.replace(/[\u007f-\uffff]/g, escaped)],
      ['slashes', (json) => json.replaceAll('/', String.raw`\/`)],
    ],
  }),
  content_type: freedom<string>({
    about: 'the parameters of the content type of JSON',
    contract: 'Endpoints: "Content-Type: application/json" is asked of requests only.',
    values: [
      ['none', JSON_TYPE],
      ['charset', 'application/json; charset=utf-8'],
      ['CHARSET', 'application/json;charset="UTF-8"'],
    ],
  }),
  headers: freedom<Readonly<Record<string, string>>>({
    about: 'headers of an answer',
    contract: 'Endpoints: no header of an answer is named.',
    values: named({
      none: {},
      request_id: { 'x-request-id': '01J9ZK3V5N8Q', server: 'gateway' },
      cached: {
        'cache-control': 'private, max-age=0',
        'x-ratelimit-remaining': '99',
      },
    }),
  }),
  framing: freedom<number | undefined>({
    about: 'whether an answer has a length, or comes in chunks of some size',
    contract: 'Endpoints: the framing of an answer is not said.',
    values: [
      ['length', undefined],
      ['chunked', 65_536],
      ['small_chunks', 509],
    ],
  }),
  times: freedom<(at: number) => string>({
    about: 'how `submitted` is written',
    contract: 'Grade attempt: "submitted | string | ISO 8601 timestamp".',
    values: [
      ['milliseconds', (at) => new Date(at).toISOString()],
      ['offset', (at) => new Date(at).toISOString().replace('Z', '+00:00')],
      ['microseconds', (at) => new Date(at).toISOString().replace('Z', '000Z')],
      ['shortest', (at) => new Date(at).toISOString().replace(/(?:\.|(?<!0))0*Z$/, 'Z')],
      ['east', (at) => new Date(at + EAST_MS).toISOString().replace('Z', '+05:30')],
    ],
  }),
};
