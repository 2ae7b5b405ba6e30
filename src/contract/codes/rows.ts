import { ROW_SIZE } from '../limits.ts';
import {
  cautiousHint,
  certain,
  type Example,
  forbidden,
  absent,
  type Params,
  possible,
  situation,
} from './code-row.ts';

const ROW_RULE = 'Limits: JSON object of a row';

/** The largest key, if known. */
const largestKey = (p: Params): string =>
  p.key === undefined
    ? ''
    : `; the largest key is ${JSON.stringify(p.key)} with ${p.keySize} bytes`;

const body = (text: string): Example => ({ kind: 'row', given: text, text });

/** A row of this size as compact JSON. */
function sizedBody(bytes: number, row?: 'context' | 'member'): Example {
  const given = `{"notes": "…"} of ${bytes} bytes${row === undefined ? '' : `, for the ${row} row`}`;
  const text = `{"notes":"${'x'.repeat(bytes - 12)}"}`;
  return { kind: 'row', given, text, ...(row !== undefined && { row }) };
}

const { context, member } = ROW_SIZE;

/** Errors and warnings about JSON bodies and rows. */
export const ROW_CODES = {
  // Bodies
  'body.syntax': certain(
    (p) => `malformed body: ${p.reason}`,
    'Errors: malformed body',
    (p) => {
      if (p.encoding !== undefined) {
        return 'save it as UTF-8 without a byte order mark; PowerShell 7: Out-File -Encoding utf8 FILE; Windows PowerShell 5: [IO.File]::WriteAllText("$PWD\\FILE", $text)';
      }
      return p.levels === undefined
        ? 'send strict JSON in UTF-8: no comments, no trailing commas, no byte order mark, no NaN'
        : `lectern reads at most ${p.levels} levels, and other parsers fewer: move a part to a file`;
    },
    body('{"theme": "dark",}'),
  ),
  'body.not_object': certain(
    (p) => `malformed body: expected a JSON object, not ${p.found}`,
    'Errors: malformed body',
    (p) =>
      p.form === undefined ? 'a row is one JSON object, such as { "items": … }' : `send ${p.form}`,
    body('["dark"]'),
  ),
  'body.duplicate_name': possible(
    'duplicate name in an object; the last value is used',
    'RFC 8259, section 4',
    'keep one of them',
    body('{"theme": "dark", "theme": "light"}'),
  ),
  'body.lossy_number': possible(
    (p) =>
      `the number ${p.number} loses digits in JavaScript; a tool that parses it reads ${p.read}`,
    'RFC 8259, section 6',
    'use a string if the digits matter',
    body('{"id": 9007199254740993}'),
  ),
  'body.deep': possible(
    (p) => `nested ${p.levels} levels deep`,
    'RFC 8259, section 9',
    'many JSON parsers fail at a few hundred levels; flatten the structure',
    {
      kind: 'row',
      given: '{"a": [[[ … 120 brackets … ]]]}',
      text: `{"a":${'['.repeat(120)}${']'.repeat(120)}}`,
    },
  ),

  // Rows
  'row.too_large': certain(
    (p) => `JSON object of ${p.size} bytes is over the ${p.label} limit of a ${p.kind} row`,
    ROW_RULE,
    // The numbers are unknown if the code was recognised in a response; likewise below.
    (p) =>
      `reduce it${p.limit === undefined ? '' : ` to ${p.limit} bytes of compact JSON`}, or move large values to files${largestKey(p)}`,
    sizedBody(context.bytes + 1, 'context'),
  ),
  'row.maybe_too_large': possible(
    (p) => `JSON object of ${p.size} bytes is over ${p.label} if a kilobyte is 1000 bytes`,
    ROW_RULE,
    (p) => `${cautiousHint(p)}${largestKey(p)}`,
    sizedBody(context.cautiousBytes + 1, 'context'),
  ),
  'row.too_large_for_member': possible(
    (p) => `JSON object of ${p.size} bytes is over the ${p.label} limit of a member's rows`,
    ROW_RULE,
    (p) => `it only fits a context or location row; specify the row it is for${largestKey(p)}`,
    sizedBody(member.bytes + 1),
  ),
  'row.near_limit': possible(
    (p) => `JSON object of ${p.size} bytes is ${p.percent} % of the ${p.label} limit`,
    ROW_RULE,
    (p) => `move large values to files before the row is full${largestKey(p)}`,
    sizedBody(Math.ceil(member.bytes * 0.9), 'member'),
  ),
  'row.unprovisioned': certain(
    (p) => `${p.kind} row is not provisioned yet`,
    'States: storage row provisioning',
    'PUT the matching provision URL first',
    situation('GET storage.context before the finish call', { kind: 'context' }),
  ),
  'row.not_found': absent(
    'no such row',
    'Errors, Storage and files: 404',
    'use the URL of a new launch of this tool',
    situation('GET of a row address whose course was deleted'),
  ),
  'row.forbidden': forbidden(
    (p) => `the user is not allowed to ${p.action} this ${p.kind} row`,
    'Authentication: data permissions',
    'students read and write their own rows, and read the shared ones; use a staff launch',
    situation("PUT storage.context with a student's token", {
      action: 'write',
      kind: 'context',
    }),
  ),
  'row.not_member': forbidden(
    'the user is not a member of the course',
    'Authentication: data permissions',
    'access requires enrolment in the course; use a launch from that course',
    situation("GET of a row with a token of another course's launch"),
  ),
};
