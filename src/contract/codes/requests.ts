import { bytesText } from '../words.ts';
import { type Example, type Params, possible, wrong } from './code-row.ts';
import { gradeFieldHint } from './grades.ts';

const REPEAT_RULE = 'Grade submission, rule 1: "a repeat call is a new attempt and a new LMS call"';
const SHARED_RULE =
  'Storage rows, PATCH rule 4: "PUT overwrites every key; a tool whose parts share a row uses PATCH."';

const whom = (p: Params): string => `member ${p.member} at location ${p.location}`;

const LOST = 'lost: POST /scores';
const HALF = 'POST grade.submit {"score": 0.5}';
const DECLARED = 'PUT files.member/notes.txt {"size": 5}';
const UPLOADED = 'POST the form with "hello"';
const LATER = 'later: 10m';
const ADD = 'PATCH storage.context {"patch": [{"op": "add", "path": "/round", "value": 2}]}';

/** A tool that does what a code is about, and one that does the same job by the contract. */
function requests(does: readonly string[], instead: readonly string[], params: Params): Example {
  const given = [...does, 'by the contract:', ...instead].join('\n');
  return { kind: 'requests', given, does, instead, params };
}

/**
 * Mistakes of a tool over a sequence of requests, each of which may have been accepted. Only the
 * emulator's report finds them.
 */
export const REQUEST_CODES = {
  'request.bearer_to_signed_url': wrong(
    (p) => `a bearer token was sent to a signed ${p.what} URL`,
    'Endpoints, Files of a row: "The file bytes do not pass through the service\'s API." Authentication: api.token is for storage and files URLs',
    'send no Authorization header there: the URL or the form is the permission',
    requests([DECLARED, `${UPLOADED} and the bearer token`, UPLOADED], [DECLARED, UPLOADED], {
      what: 'upload',
    }),
  ),
  'request.token_in_url': wrong(
    (p) => `${p.method} ${p.path} has a token or an API key in the URL`,
    'Authentication: "Authorization: Bearer <ACCESS_TOKEN>"',
    'send it in the Authorization header: URLs are kept in logs, histories and Referer headers',
    requests(['GET /cb?code=TOKEN'], ['GET storage.member'], { method: 'GET', path: '/cb?…' }),
  ),
  'request.url_not_handed_out': wrong(
    (p) => `${p.method} ${p.path} is a URL that no launch handed out`,
    'Endpoints: "All URLs below are taken exactly as they arrive in a launch claim."',
    'use the URL of the claim byte for byte: do not build, decode or encode it; only /<key> is added to a files URL',
    requests(['GET /data/v1/contexts/biology-101/row'], ['GET storage.context'], {
      method: 'GET',
      path: '/data/v1/contexts/biology-101/row',
    }),
  ),
  'request.url_segment_changed': wrong(
    (p) => `${p.what} was changed in a ${p.kind} URL: it is from no launch`,
    'Endpoints, Grade submission: "The only segment of the URL that may be changed is the member segment"',
    "take each URL from a launch; only the member segment of a grade URL under /contexts/ and the key of a file are the caller's own",
    requests(
      ['staff: GET storage.member with member-112 for member-101'],
      ['staff: POST grade.submit with member-112 for member-101 {"score": 0.5}'],
      { what: 'the member segment', kind: 'member row' },
    ),
  ),
  'request.removed_endpoint': wrong(
    (p) => `${p.method} ${p.path} is a removed endpoint`,
    'Removed endpoints: "requests to those paths answer 404"',
    'configure the tool in the dashboard, and submit grades to the grade.submit URL',
    requests(['GET /apps/me'], ['GET storage.context'], { method: 'GET', path: '/apps/me' }),
  ),
  'request.launch_id': possible(
    'launch_id was sent in the body of a grade submission',
    'Contract change of 2026-09-21: "body loses launch_id"',
    'omit it: the URL identifies the location and the member',
    requests(['POST grade.submit {"launch_id": "7f1c", "score": 0.5}'], [HALF], {}),
  ),
  'request.content_type': possible(
    (p) => `the JSON body of ${p.what} ${p.type}`,
    'Endpoints: "Requests with a JSON body send Content-Type: application/json."',
    'send the header: the service may refuse the body without it',
    requests([`${HALF} without its Content-Type`], [HALF], {
      what: 'POST grade',
      type: 'has no Content-Type',
    }),
  ),
  'request.unknown_field': possible(
    (p) => `${JSON.stringify(p.field)} was sent in the body of a grade submission`,
    'Endpoints, Grade submission: request body',
    gradeFieldHint,
    requests(['POST grade.submit {"score": 0.5, "coment": "good"}'], [HALF], {
      field: 'coment',
    }),
  ),
  'request.refused': possible(
    (p) =>
      `the service refused with ${p.status} ${p.code}${p.message === '' ? '' : `: ${p.message}`}`,
    'Errors; Grade submission, rule 6: "A bad request (HTTP error) publishes nothing and records nothing."',
    (p) => String(p.hint),
    requests(['POST grade.submit {"score": 8}'], [HALF], {
      status: 422,
      code: 'grade.score_range',
      message: 'score must be between 0 and 1',
      hint: '42.5 of 50 points is the fraction 0.85',
    }),
  ),
  'request.api_key_not_valid': wrong(
    (p) => `the API key was used on ${p.what}`,
    'Authentication, rule 2: "The API key authorizes grade submission only. It is not valid on URLs under /account/v1/users/…"',
    "use the api.token of a launch; the key is for grade URLs under /contexts/ of its own tool's placements",
    requests(['GET storage.member with the API key'], ['GET storage.member'], {
      what: 'a member row',
    }),
  ),
  'request.grade_repeated_after_lost_answer': wrong(
    (p) =>
      `the same grade for ${whom(p)} was sent again after its response was lost: it is recorded twice`,
    REPEAT_RULE,
    'the attempt may have been recorded: keep it as in doubt, and ask a person before it is sent again',
    requests([LOST, HALF, HALF], [LOST, HALF], { member: 'member-111', location: 'essay-1' }),
  ),
  'request.grade_repeated': possible(
    (p) => `the same grade for ${whom(p)} was sent again within a minute`,
    REPEAT_RULE,
    'the first attempt was recorded: check for a double click, a retry, or an effect that runs twice',
    requests([HALF, HALF], [HALF, 'POST grade.submit {"score": 0.75}'], {
      member: 'member-111',
      location: 'essay-1',
    }),
  ),
  'request.keys_dropped': wrong(
    (p) =>
      `a PUT of a ${p.kind} row dropped ${p.keys}, which another launch had written and the caller had not read`,
    SHARED_RULE,
    'send a PATCH of what changed, or read the row again right before the PUT',
    requests(
      ['staff: GET storage.context', `other: ${ADD}`, 'staff: PUT storage.context {"title": "A"}'],
      [
        'staff: GET storage.context',
        `other: ${ADD}`,
        'staff: PATCH storage.context {"patch": [{"op": "add", "path": "/title", "value": "A"}]}',
      ],
      { kind: 'context', keys: '"/round"' },
    ),
  ),
  'request.value_overwritten': wrong(
    (p) =>
      `a PUT of a ${p.kind} row overwrote ${p.keys}, which another person had written and the caller had not read`,
    SHARED_RULE,
    'send a PATCH of what changed, or read the row again right before the PUT',
    requests(
      [
        'staff: PUT storage.context {"title": "A"}',
        'other: PATCH storage.context {"patch": [{"op": "replace", "path": "/title", "value": "B"}]}',
        'staff: PUT storage.context {"title": "C"}',
      ],
      [
        'staff: PUT storage.context {"title": "A"}',
        'other: PATCH storage.context {"patch": [{"op": "replace", "path": "/title", "value": "B"}]}',
        'staff: GET storage.context',
        'staff: PUT storage.context {"title": "C"}',
      ],
      { kind: 'context', keys: '"/title"' },
    ),
  ),
  'request.ended_token_repeated': possible(
    (p) =>
      `the same call was made ${p.calls} times with the token of launch ${p.launch}, which had ended`,
    'Authentication, rule 1: "a call afterwards is 401 and a fresh token must be taken from a new launch"',
    'stop at the first 401, and ask for a new launch',
    requests(
      [
        'later: 12h',
        'GET storage.member',
        'later: 10s',
        'GET storage.member',
        'GET storage.member',
      ],
      ['later: 12h', 'GET storage.member'],
      { launch: '1c0ffee', calls: 3 },
    ),
  ),
  'request.signed_url_expired': possible(
    (p) => `a signed ${p.what} URL was used after it had expired`,
    'Resources: file (single): "download address, valid until expires"',
    'read the file record, or declare the upload, again right before the transfer',
    requests([DECLARED, LATER, UPLOADED, DECLARED, UPLOADED], [LATER, DECLARED, UPLOADED], {
      what: 'upload',
    }),
  ),
  'request.declaration_without_upload': possible(
    (p) => `the file ${p.key} of a ${p.kind} row was declared, and is not uploaded yet`,
    'Endpoints, Files of a row: upload sequence',
    'POST the form of the declaration, every entry of fields first and the file last',
    requests([DECLARED], [DECLARED, UPLOADED], { kind: 'member', key: 'notes.txt' }),
  ),
  'request.row_near_limit': possible(
    (p) =>
      `a ${p.kind} row has ${bytesText(Number(p.size))}: ${p.percent} % of its limit of ${p.label}`,
    'Limits: JSON object of a row',
    'move large values to files before a write is refused',
    requests(
      ['PUT storage.member {"text": "…"} of 450000 bytes'],
      ['PUT storage.member {"text": "…"} of 4500 bytes'],
      { kind: 'member', size: 450_000, percent: 85, label: '512 KB' },
    ),
  ),
  'request.provision_unfinished': possible(
    (p) => `the provision request of course ${p.course} is not finished yet`,
    'States: storage row provisioning: "tool PUTs the matching URL from the provision claim"',
    'PUT the URLs of the provision claim when the course is ready',
    requests(
      ['copy: GET storage.parent_context'],
      ['copy: GET storage.parent_context', 'copy: PUT provision.context'],
      { course: 'biology-102' },
    ),
  ),
};
