/**
 * The table of everything the service can find wrong: one row a code, with the status and words
 * that the service answers, the sentence of the contract behind it, and the way out.
 *
 * A rule returns violations and knows no HTTP. The emulator answers the first one that is no mere
 * warning with its status and message; the validator lists them all with hint and rule; the client
 * turns an answer back into a code (`recognise`).
 */
import {
  certain,
  type CodeRow,
  type Params,
  possible,
  refusedPossibly,
  type Severity,
  wrong,
} from './code-row.ts';
import { GRADE_FILE_CODES } from './grade-file-codes.ts';
import { LAUNCH_CODES } from './launch-codes.ts';
import { TOOL_CODES } from './tool-codes.ts';

export type { CodeRow, Params, Severity } from './code-row.ts';

/** What a rule found: a code, where (a JSON pointer into the payload, '' for the whole), and the figures. */
export interface Violation {
  readonly code: Code;
  readonly path: string;
  readonly params: Params;
}

const ROW_RULE = 'Limits: JSON object of a row';
const PATCH_RULE = 'Endpoints, Storage rows: PATCH rules';
const OPERATION_RULE = 'RFC 6902; Endpoints, Storage rows: PATCH rules';
const KEY_RULE = 'Limits: file key';
const DECLARATION_RULE = 'Endpoints, Files of a row: declaration body of PUT';
const QUOTA_RULE = 'Limits: files per row, total file size per row';
const GRADE_RULE = 'Endpoints, Grade submission: request body';
const GRADE_URL_RULE = 'Endpoints, Grade submission: the member segment';
const AUTH_RULE = 'Authentication';

const operation = (p: Params): string => `patch operation ${p.index}`;

/** Where the space goes, when the figures say so. */
const largestKey = (p: Params): string =>
  p.key === undefined
    ? ''
    : `; the largest key is ${JSON.stringify(p.key)} with ${p.keySize} bytes`;

const table = {
  // Bodies
  'body.syntax': certain(
    (p) => `malformed body: ${p.reason} at line ${p.line}, column ${p.column}`,
    'Errors: malformed body',
    () => 'send strict JSON in UTF-8: no comments, no trailing commas, no byte order mark, no NaN',
  ),
  'body.not_object': certain(
    (p) => `malformed body: a JSON object is needed, not ${p.found}`,
    'Errors: malformed body',
    (p) =>
      p.form === undefined ? 'a row holds one JSON object: { "items": … }' : `send ${p.form}`,
  ),
  'body.duplicate_name': possible(
    () => 'a name occurs more than once in one object; the last value wins',
    'RFC 8259, section 4',
    () => 'keep one of them',
  ),
  'body.lossy_number': possible(
    (p) =>
      `the number ${p.number} cannot be held by JavaScript; a tool that parses it reads ${p.read}`,
    'RFC 8259, section 6',
    () => 'write it as a string if its digits matter',
  ),
  'body.deep': possible(
    (p) => `nested ${p.levels} levels deep`,
    'RFC 8259, section 9',
    () => 'many JSON parsers give up at a few hundred levels; flatten it',
  ),

  // Rows
  'row.too_large': certain(
    (p) => `JSON object of ${p.size} bytes is over the ${p.label} limit of a ${p.kind} row`,
    ROW_RULE,
    // The figures are unknown where the code was recognised in an answer; likewise below.
    (p) =>
      `shrink it${p.limit === undefined ? '' : ` to ${p.limit} bytes of compact JSON`}, or move large values into files${largestKey(p)}`,
  ),
  'row.maybe_too_large': possible(
    (p) => `JSON object of ${p.size} bytes is over ${p.label} if a kilobyte is 1000 bytes`,
    ROW_RULE,
    (p) =>
      `the contract does not say; ${p.cautious} bytes is safe under either reading${largestKey(p)}`,
  ),
  'row.too_large_for_member': possible(
    (p) => `JSON object of ${p.size} bytes is over the ${p.label} limit of a member's rows`,
    ROW_RULE,
    (p) => `it fits a shared row only; say which row it is for: --kind${largestKey(p)}`,
  ),
  'row.near_limit': possible(
    (p) => `JSON object of ${p.size} bytes is ${p.percent} % of the ${p.label} limit`,
    ROW_RULE,
    (p) => `move large values into files before it is full${largestKey(p)}`,
  ),
  'row.unprovisioned': certain(
    (p) => `${p.kind} row is not provisioned yet`,
    'States: storage row provisioning',
    (p) => `PUT the provision URL first: lectern provision ${p.kind ?? 'context|location'}`,
  ),
  'row.not_found': certain(
    () => 'no such row',
    'Errors, Storage and files: 404',
    () => 'take the URL from a fresh launch of this tool',
    404,
  ),
  'row.forbidden': certain(
    (p) => `the user may not ${p.action} this ${p.kind} row`,
    'Authentication: data permissions',
    () => 'students write only their own rows; a shared row takes a staff launch',
    403,
  ),
  'row.not_member': certain(
    () => 'the user is not a member of the course',
    'Authentication: data permissions',
    () => 'access requires enrolment in the course; take a launch from that course',
    403,
  ),

  // Patches
  'patch.no_wrapper': certain(
    () => 'malformed body: an object with a "patch" key is needed',
    PATCH_RULE,
    () =>
      'send { "patch": [ { "op": …, "path": …, "value": … } ] }; lectern storage patch takes the array alone, and wraps it',
  ),
  'patch.not_array': certain(
    (p) => `malformed body: patch must be an array, not ${p.found}`,
    PATCH_RULE,
    () => 'send { "patch": [ … ] } with a list of operations, even for one',
  ),
  'patch.operation_not_object': certain(
    (p) => `${operation(p)} must be an object, not ${p.found}`,
    OPERATION_RULE,
    () => 'each operation is { "op": …, "path": …, "value": … }',
  ),
  'patch.op_missing': certain(
    (p) => `${operation(p)} has no op`,
    OPERATION_RULE,
    () => 'op is add, replace or remove',
  ),
  'patch.op_not_string': certain(
    (p) => `${operation(p)}: op must be a string`,
    OPERATION_RULE,
    () => 'op is "add", "replace" or "remove"',
  ),
  'patch.op_unknown': certain(
    (p) => `${operation(p)} has an unknown op ${JSON.stringify(p.op)}`,
    OPERATION_RULE,
    () => 'op is add, replace or remove, in lower case',
  ),
  'patch.op_unsupported': refusedPossibly(
    (p) => `${operation(p)}: ${p.op} is not among the operations in use`,
    'Endpoints, Storage rows: PATCH rule 1',
    () => 'use add, replace and remove; the contract names no other operation',
  ),
  'patch.path_missing': certain(
    (p) => `${operation(p)} (${p.op}) has no path`,
    OPERATION_RULE,
    () => 'give a path relative to the object root, such as "/settings/theme"',
  ),
  'patch.path_not_string': certain(
    (p) => `${operation(p)} (${p.op}): path must be a string`,
    OPERATION_RULE,
    () => 'a path is a string such as "/settings/theme"',
  ),
  'patch.path_malformed': certain(
    (p) => `${operation(p)}: malformed path ${JSON.stringify(p.pointer)}: ${p.reason}`,
    'RFC 6901',
    () => 'a path starts with /; write ~ in a name as ~0 and / as ~1',
  ),
  'patch.value_missing': certain(
    (p) => `${operation(p)} (${p.op} ${p.pointer}) has no value`,
    OPERATION_RULE,
    () => 'add and replace need a value; null counts as one',
  ),
  'patch.remove_root': certain(
    (p) => `${operation(p)} removes the whole row`,
    'Resources: each row holds one JSON object',
    () => 'to empty a row, PUT {}',
  ),
  'patch.root_not_object': certain(
    (p) => `${operation(p)} puts ${p.found} in the place of the row`,
    'Resources: each row holds one JSON object',
    () => 'the path "" takes an object',
  ),
  'patch.target_missing': certain(
    (p) =>
      `${operation(p)} (${p.op} ${p.pointer}): nothing is there; the deepest that exists is "${p.at}"`,
    OPERATION_RULE,
    () => 'use add for what may be absent; replace and remove need it to exist',
  ),
  'patch.parent_not_container': certain(
    (p) =>
      `${operation(p)} (${p.op} ${p.pointer}): "${p.at}" is ${p.found}, not an object or array`,
    OPERATION_RULE,
    (p) => `replace ${p.at} with an object first`,
  ),
  'patch.index_invalid': certain(
    (p) => `${operation(p)} (${p.pointer}): ${JSON.stringify(p.token)} is no array index`,
    'RFC 6901, section 4',
    () => 'an index is 0, 1, 2 … without leading zeros; - appends, with add only',
  ),
  'patch.index_out_of_bounds': certain(
    (p) => `${operation(p)} (${p.pointer}): the array has ${p.length} elements`,
    OPERATION_RULE,
    () => 'use - to append',
  ),

  // Files
  'file.key_invalid': certain(
    (p) => `invalid file key ${JSON.stringify(p.key)}: ${p.reason}`,
    KEY_RULE,
    (p) =>
      `1 to 128 letters, digits, ".", "_", "-", the first a letter or digit; for example ${p.proposal}`,
  ),
  'file.size_missing': certain(
    () => 'size is required',
    DECLARATION_RULE,
    () => 'declare the size in bytes',
  ),
  'file.size_invalid': certain(
    (p) => `size must be a whole number of bytes, not ${p.found}`,
    DECLARATION_RULE,
    () => 'declare the size in bytes, 0 or more',
  ),
  'file.too_large': certain(
    (p) => `size ${p.size} is over the ${p.label} limit of one file`,
    'Limits: one file',
    (p) => `a file has at most ${p.limit} bytes`,
  ),
  'file.maybe_too_large': possible(
    (p) => `size ${p.size} is over ${p.label} if a megabyte is 1,000,000 bytes`,
    'Limits: one file',
    (p) => `the contract does not say; ${p.cautious} bytes is safe under either reading`,
  ),
  'file.mimetype_invalid': certain(
    () => 'mimetype must be a string',
    DECLARATION_RULE,
    () => 'leave it out to have it guessed from the filename',
  ),
  'file.filename_invalid': certain(
    () => 'filename must be a string',
    DECLARATION_RULE,
    () => 'leave it out to save downloads under the key',
  ),
  'file.attachment_invalid': certain(
    () => 'attachment must be true or false',
    DECLARATION_RULE,
    () => 'true saves a download, false shows it in the browser',
  ),
  'file.null_field': possible(
    (p) => `${p.field} is null`,
    DECLARATION_RULE,
    () => 'leave the field out: the contract gives no meaning to null',
  ),
  'files.too_many': certain(
    (p) => `the row holds ${p.count} files of at most ${p.limit}`,
    QUOTA_RULE,
    () => 'delete a file first, or write to a key that exists (that replaces it)',
  ),
  'files.quota_exceeded': certain(
    (p) => `${p.total} bytes would be over the ${p.label} quota of the ${p.kind} row`,
    QUOTA_RULE,
    (p) => `the quota is ${p.limit} bytes; delete files first`,
  ),
  'files.maybe_quota_exceeded': possible(
    (p) => `${p.total} bytes would be over the ${p.label} quota if a megabyte is 1,000,000 bytes`,
    QUOTA_RULE,
    (p) => `the contract does not say; ${p.cautious} bytes is safe under either reading`,
  ),
  'file.not_found': certain(
    (p) => `no file has the key ${p.key}`,
    'Errors, Storage and files: 404',
    () => 'list the keys: lectern files ls ROW',
    404,
  ),

  // Grades
  'grade.score_missing': certain(
    () => 'score is required',
    GRADE_RULE,
    () => 'send a fraction from 0.0 to 1.0, such as 0.85',
  ),
  'grade.score_not_number': certain(
    (p) => `score must be a number, not ${p.found}`,
    GRADE_RULE,
    () => 'send a JSON number: 0.85, not "0.85"',
  ),
  'grade.score_range': certain(
    () => 'score must be between 0 and 1',
    GRADE_RULE,
    ({ value }) =>
      `${value === undefined ? '' : `${value} is outside; `}42.5 of 50 points is the fraction 0.85 (lectern: --points 42.5/50)`,
  ),
  'grade.max_score_not_number': certain(
    (p) => `max_score must be a number, not ${p.found}`,
    GRADE_RULE,
    () => 'send a JSON number greater than 0, or leave it out',
  ),
  'grade.max_score_range': certain(
    () => 'max_score must be greater than 0',
    GRADE_RULE,
    () => 'leave it out to keep the points of the column as they are',
  ),
  'grade.comment_not_string': certain(
    (p) => `comment must be a string, not ${p.found}`,
    GRADE_RULE,
    () => 'send text, or leave it out',
  ),
  'grade.activity_progress': certain(
    () => 'activity_progress must be one of [Completed, Submitted]',
    GRADE_RULE,
    () => 'the words are Completed and Submitted, spelled just so',
  ),
  'grade.grading_progress': certain(
    () => 'grading_progress must be one of [FullyGraded, Pending]',
    GRADE_RULE,
    () => 'the words are FullyGraded and Pending, spelled just so',
  ),
  'grade.not_assessment': certain(
    () => 'grade passback is only allowed for assessment locations',
    'Errors, Grade submission',
    () => 'this location has no gradebook column to post to',
  ),
  'grade.null_field': possible(
    (p) => `${p.field} is null`,
    GRADE_RULE,
    () => 'leave the field out: the contract gives no meaning to null',
  ),
  'grade.unknown_field': possible(
    (p) => `${p.field} is no field of a grade submission`,
    GRADE_RULE,
    () => 'score, max_score, comment, activity_progress and grading_progress are',
  ),
  'grade.launch_id': possible(
    () => 'launch_id belonged to the endpoint that was removed on 2026-09-21',
    'Removed endpoints',
    () => 'leave it out: the URL says everything',
  ),

  // Grade addresses: refused before anything is sent, so the service has no status for them
  'grade_url.null': wrong(
    () => 'this launch has no gradebook column to post to: grade.submit is null',
    'Endpoints, Grade submission: rule 5',
    () => 'launch from an assessment location that is deep-linked in the course',
  ),
  'grade_url.member_invalid': wrong(
    (p) => `${JSON.stringify(p.member)} cannot be a member segment`,
    GRADE_URL_RULE,
    () => 'give the user.member of a launch, or the member of an earlier attempt',
  ),
  'grade_url.not_contexts': wrong(
    () => 'the member of this grade address cannot be changed: it is not under /contexts/',
    GRADE_URL_RULE,
    () => 'use a launch whose grade.submit is under /contexts/, such as a staff launch',
  ),
  'grade_url.member_absent': wrong(
    (p) => `the grade address has no segment ${JSON.stringify(p.member)} (user.member)`,
    GRADE_URL_RULE,
    () => 'mark the segment yourself: --url with {member} in its place',
  ),
  'grade_url.member_twice': wrong(
    (p) => `${JSON.stringify(p.member)} (user.member) stands ${p.count} times in the grade address`,
    GRADE_URL_RULE,
    (p) =>
      p.member === '{member}'
        ? 'leave the mark where the member belongs, and nowhere else'
        : 'mark the right one yourself: --url with {member} in its place',
  ),

  // Credentials
  'auth.missing': certain(
    () => 'Missing Bearer token',
    AUTH_RULE,
    () => 'send Authorization: Bearer with the api.token of a launch',
    401,
  ),
  'auth.missing_grade': certain(
    () => 'Missing Bearer API key',
    AUTH_RULE,
    () => 'send Authorization: Bearer with api.token or the tool API key',
    401,
  ),
  'auth.ended': certain(
    () => 'launch token has ended',
    'States: launch token',
    () => 'take a fresh token from a new launch',
    401,
  ),
  'auth.unknown': certain(
    () => 'unknown token',
    AUTH_RULE,
    () => 'take a fresh token from a new launch of this tool',
    401,
  ),
  'auth.key_unknown': certain(
    () => 'Invalid API key',
    'Errors, Grade submission: 401',
    () => 'it may have been rotated: copy the current one from the dashboard',
    401,
  ),
  'auth.suspended': certain(
    () => 'App is suspended',
    'Errors, Grade submission: 401',
    () => 'the tool is suspended or archived; see the dashboard',
    401,
  ),
  'auth.key_not_accepted': certain(
    () => 'the API key is not accepted here',
    'Authentication: rule 2',
    () => 'the API key submits grades under /contexts/ only; use a launch token',
    401,
  ),
  'auth.other_tool': certain(
    (p) => `API key is for tool ${p.key_tool}, not tool ${p.url_tool}`,
    'Errors, Grade submission: 403',
    () => 'use the key of the tool that the address names',
    403,
  ),
  'auth.not_placed': certain(
    (p) => `tool ${p.tool} has no placement of location ${p.location} in context ${p.context}`,
    'Authentication: rule 6',
    () => 'the key works only for courses where the tool has a placement of the location',
    403,
  ),
  'auth.not_this_member': certain(
    () => '',
    'Authentication: rule 5',
    () => 'a student grades only themselves; use a staff launch or the API key',
    403,
  ),
  ...GRADE_FILE_CODES,
  ...LAUNCH_CODES,
  ...TOOL_CODES,
} satisfies Record<string, CodeRow>;

export type Code = keyof typeof table;

/** Every code with its row, for tables of reference. */
export const CODES: Readonly<Record<Code, CodeRow>> = table;

/** Makes a violation. `params` fill the message and the hint of the code. */
export function violation(code: Code, path: string, params: Params = {}): Violation {
  return { code, path, params };
}

/** The words of a violation: the service's message, the contract's rule, and the way out. */
export function explainViolation(found: Violation): {
  message: string;
  rule: string;
  hint: string;
  severity: Severity;
  status: number | undefined;
} {
  const row: CodeRow = CODES[found.code];
  return {
    message: row.message(found.params),
    rule: row.rule,
    hint: row.hint(found.params),
    severity: row.severity,
    status: row.status,
  };
}

/** Whether the contract makes the refusal certain. */
export function isCertain(found: Violation): boolean {
  return CODES[found.code].severity === 'error';
}

/** The violation that the service answers with, if it refuses at all. */
export function refusal(found: readonly Violation[]): Violation | undefined {
  return found.find((each) => (CODES[each.code] as CodeRow).status !== undefined);
}
